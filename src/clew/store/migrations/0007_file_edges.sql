-- Which files use something of which: a ranking asks for that at every question, and edges are many.

CREATE TABLE file_edge (
  snapshot INTEGER NOT NULL,
  source INTEGER NOT NULL,           -- numbers of files, as in graph_file
  target INTEGER NOT NULL,
  PRIMARY KEY (snapshot, source, target)
) WITHOUT ROWID;

INSERT INTO file_edge
  SELECT DISTINCT snapshot, source >> 16, target >> 16 FROM edge WHERE target >= 0 AND source >> 16 <> target >> 16;
