-- How long the vectors of each provider's model are: learned with its first answer, needed when it does not answer.
CREATE TABLE model (name TEXT PRIMARY KEY, dimension INTEGER NOT NULL) WITHOUT ROWID;
