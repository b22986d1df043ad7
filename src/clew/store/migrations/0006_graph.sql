-- What the names of a file mean in it, and, for each snapshot, what they lead to.
-- A node is (file number << 16 | ordinal): a definition's, an attribute's after those, 65535 for the file itself;
-- below zero it is external.

ALTER TABLE facts ADD COLUMN links BLOB NOT NULL DEFAULT x'';  -- packed: parse/links.py

CREATE TABLE attribute (             -- what methods give an object without a declaration
  id INTEGER PRIMARY KEY,            -- facts << 16 | an ordinal after those of the symbols
  name TEXT NOT NULL,
  owner INTEGER NOT NULL,            -- ordinal of the class
  byte INTEGER NOT NULL
);
CREATE INDEX attribute_name ON attribute (name);

CREATE TABLE graph_file (
  snapshot INTEGER NOT NULL REFERENCES snapshot,
  number INTEGER NOT NULL,           -- of the file in this snapshot, never reused
  path TEXT NOT NULL,
  facts INTEGER NOT NULL,            -- that its edges were made of
  shape BLOB NOT NULL,               -- what other files can see of it, hashed
  inputs BLOB NOT NULL,              -- hashes of the keys that its edges rest on, ascending
  PRIMARY KEY (snapshot, number),
  UNIQUE (snapshot, path)
) WITHOUT ROWID;

CREATE INDEX graph_file_facts ON graph_file (facts, snapshot);

CREATE TABLE external (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

CREATE TABLE edge (
  snapshot INTEGER NOT NULL,
  target INTEGER NOT NULL,
  source INTEGER NOT NULL,           -- the definition around the sites
  role INTEGER NOT NULL,
  tier INTEGER NOT NULL,
  evidence INTEGER NOT NULL,
  sites BLOB NOT NULL,               -- byte offsets in the source's file
  PRIMARY KEY (snapshot, target, source, role, tier)
) WITHOUT ROWID;
CREATE INDEX edge_source ON edge (snapshot, source);

CREATE TABLE loose (                 -- members of what nothing is known of: `x.close()`
  snapshot INTEGER NOT NULL,
  name TEXT NOT NULL,
  source INTEGER NOT NULL,
  role INTEGER NOT NULL,
  sites BLOB NOT NULL,
  PRIMARY KEY (snapshot, name, source, role)
) WITHOUT ROWID;
CREATE INDEX loose_source ON loose (snapshot, source);
