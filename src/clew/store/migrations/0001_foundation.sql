-- Content-addressed facts, and snapshots as views on them.
-- A chunk's, symbol's or import's id is (facts << 16 | ordinal): never reused, clustered by blob.

CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counter VALUES ('sweep', 1);

CREATE TABLE blob (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE,         -- git blob hash, 20 bytes
  size INTEGER NOT NULL,
  bytes BLOB NOT NULL,               -- zstd
  tombstone INTEGER                  -- the sweep that found it unreferenced
);

CREATE TABLE facts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  blob INTEGER NOT NULL REFERENCES blob,
  language TEXT NOT NULL,
  extractor INTEGER NOT NULL,
  interface BLOB NOT NULL,
  uses BLOB NOT NULL,                -- packed: parse/uses.py
  chunks INTEGER NOT NULL,
  symbols INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  diagnostics TEXT NOT NULL,
  tombstone INTEGER,
  UNIQUE (blob, language, extractor)
);

CREATE TABLE chunk (
  id INTEGER PRIMARY KEY,            -- negative: the completion marker of that codebase
  start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL,
  start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
  symbol INTEGER NOT NULL,           -- ordinal of the owner, or -1
  length INTEGER NOT NULL,
  terms BLOB NOT NULL, freqs BLOB NOT NULL,
  marker TEXT
);

CREATE TABLE symbol (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL, name TEXT NOT NULL, qualified TEXT NOT NULL,
  start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL, name_byte INTEGER NOT NULL,
  start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
  signature TEXT NOT NULL, doc TEXT NOT NULL,
  parent INTEGER NOT NULL
);
CREATE INDEX symbol_name ON symbol (name);

CREATE TABLE import (
  id INTEGER PRIMARY KEY,
  module TEXT NOT NULL, name TEXT NOT NULL, alias TEXT NOT NULL,
  start_byte INTEGER NOT NULL, line INTEGER NOT NULL
);

CREATE TABLE codebase (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  root TEXT NOT NULL UNIQUE,         -- canonical root, or project:NAME for the content API
  state TEXT NOT NULL,
  run TEXT NOT NULL,
  fingerprint TEXT NOT NULL,         -- recorded at the start of the run
  updated_at TEXT NOT NULL
);

CREATE TABLE transition (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  root TEXT NOT NULL, run TEXT NOT NULL, at TEXT NOT NULL,
  old TEXT NOT NULL, new TEXT NOT NULL, cause TEXT NOT NULL
);

CREATE TABLE snapshot (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  codebase INTEGER NOT NULL REFERENCES codebase,
  ref TEXT NOT NULL,                 -- 'worktree', later branches and commits
  generation INTEGER NOT NULL,
  head TEXT NOT NULL,
  files INTEGER NOT NULL, chunks INTEGER NOT NULL, symbols INTEGER NOT NULL, tokens INTEGER NOT NULL,
  diagnostics TEXT NOT NULL,         -- JSON: what the walk left out, counted by reason
  UNIQUE (codebase, ref)
);

CREATE TABLE entry (
  snapshot INTEGER NOT NULL REFERENCES snapshot,
  path TEXT NOT NULL,
  blob INTEGER, facts INTEGER,
  language TEXT NOT NULL,
  skip TEXT,                         -- why it has no facts: binary, huge, minified, unreadable
  size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
  generation INTEGER NOT NULL,       -- +1 whenever this file's content changes
  PRIMARY KEY (snapshot, path)
) WITHOUT ROWID;
CREATE INDEX entry_facts ON entry (facts, snapshot);
CREATE INDEX entry_blob ON entry (blob);
CREATE INDEX entry_huge ON entry (snapshot, size) WHERE skip = 'huge';

CREATE TABLE footprint (             -- what the last walk depended on: source/footprint.py
  snapshot INTEGER PRIMARY KEY, record TEXT NOT NULL
);

CREATE TABLE snapshot_term (
  snapshot INTEGER NOT NULL, term INTEGER NOT NULL, df INTEGER NOT NULL,
  PRIMARY KEY (snapshot, term)
) WITHOUT ROWID;

CREATE TABLE derived (
  kind TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,            -- the directory in use
  applied INTEGER NOT NULL           -- facts up to this id are in it; later ones are scanned
) WITHOUT ROWID;
INSERT INTO derived VALUES ('lexical', 1, 0);
