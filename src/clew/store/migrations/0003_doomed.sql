-- Facts that are gone and whose documents the candidate index may still have: a sweep that dies in between
-- leaves them for the next one. Nothing can bring such facts back, since their rows are gone first.

CREATE TABLE doomed (facts INTEGER PRIMARY KEY);
