-- What the names of a file mean in it, and, for each snapshot, what they lead to.

ALTER TABLE facts ADD COLUMN links BLOB NOT NULL DEFAULT x'';  -- packed: parse/links.py
