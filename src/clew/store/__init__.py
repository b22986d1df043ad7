"""The only SQL: SQLite is the truth, mapped files of segments can be rebuilt from it."""
