-- The edges of a file in one row, with tables that tell which files lead to what.

CREATE TABLE packed_edge (
  id INTEGER PRIMARY KEY,            -- snapshot << 32 | number of the file, as in graph_file
  edges BLOB NOT NULL,               -- packed: store/packs.py
  loose BLOB NOT NULL                -- members of what nothing is known of: `x.close()`, likewise
);

CREATE TABLE used_by (               -- which files have edges to a node
  snapshot INTEGER NOT NULL,
  target INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (snapshot, target, number)
) WITHOUT ROWID;

CREATE TABLE loose_name (            -- which files have loose uses of a name
  snapshot INTEGER NOT NULL,
  name TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (snapshot, name, number)
) WITHOUT ROWID;

INSERT INTO packed_edge
  SELECT * FROM (SELECT snapshot << 32 | number,
    (SELECT packed_edges(target, source, role, tier, evidence, sites) FROM edge
     WHERE edge.snapshot = file.snapshot AND source BETWEEN number << 16 AND number << 16 | 65535) AS edges,
    (SELECT packed_loose(name, source, role, sites) FROM loose
     WHERE loose.snapshot = file.snapshot AND source BETWEEN number << 16 AND number << 16 | 65535) AS loose
  FROM graph_file AS file) WHERE edges <> x'' OR loose <> x'';
INSERT INTO used_by SELECT DISTINCT snapshot, target, source >> 16 FROM edge;
INSERT INTO loose_name SELECT DISTINCT snapshot, name, source >> 16 FROM loose;
DROP TABLE edge;
DROP TABLE loose;
