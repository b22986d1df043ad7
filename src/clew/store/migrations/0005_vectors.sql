-- Vectors of an embedding provider. They are paid for, so they are kept by what was embedded, and never made twice.

CREATE TABLE vector_model (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  provider TEXT NOT NULL, model TEXT NOT NULL, dimension INTEGER NOT NULL,
  probe BLOB NOT NULL,               -- its vector of a fixed text: another one means another model
  UNIQUE (provider, model, dimension)
);

CREATE TABLE vector (
  id INTEGER PRIMARY KEY,
  model INTEGER NOT NULL REFERENCES vector_model,
  text BLOB NOT NULL,                -- digest of what was embedded
  row BLOB NOT NULL,                 -- int8, one a dimension
  UNIQUE (text, model)
);

CREATE TABLE embedded (              -- which text stands for a chunk
  chunk INTEGER PRIMARY KEY,
  text BLOB NOT NULL
);
CREATE INDEX embedded_text ON embedded (text);
