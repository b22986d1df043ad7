-- Exact search: which files of trigrams are in use, exact/NAME.seg. Blobs above `applied` are searched as they are.

CREATE TABLE gram_segment (
  first INTEGER PRIMARY KEY,         -- the blobs it covers, ends included
  last INTEGER NOT NULL,
  name TEXT NOT NULL,
  blocks INTEGER NOT NULL
);
INSERT INTO derived VALUES ('exact', 1, 0);
