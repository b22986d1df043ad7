"""The only SQL: SQLite is the truth, Tantivy a candidate index that can be rebuilt from it."""
