-- What an edge rests on, name by name, and nodes that keep their numbers when definitions are inserted before them.

ALTER TABLE graph_file ADD COLUMN nodes BLOB NOT NULL DEFAULT x'';  -- of each ordinal its node; empty: the same
ALTER TABLE graph_file ADD COLUMN details BLOB;  -- hashes of names in files, as `inputs`; NULL: not known
