-- The candidate index and the term statistics give way to segments: inverted files, exact and complete.

DROP TABLE snapshot_term;
ALTER TABLE facts ADD COLUMN names_terms BLOB NOT NULL DEFAULT x'';  -- of the definitions' names
ALTER TABLE facts ADD COLUMN names_freqs BLOB NOT NULL DEFAULT x'';
ALTER TABLE facts ADD COLUMN about_terms BLOB NOT NULL DEFAULT x'';  -- of what the file says of itself at its top
ALTER TABLE facts ADD COLUMN about_freqs BLOB NOT NULL DEFAULT x'';

CREATE TABLE segment (               -- which files are in use: lexical/NAME.seg
  first INTEGER PRIMARY KEY,         -- the facts it covers, ends included
  last INTEGER NOT NULL,
  name TEXT NOT NULL
);
UPDATE derived SET applied = 0 WHERE kind = 'lexical';
