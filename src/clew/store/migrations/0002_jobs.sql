-- Jobs: one row for each explicit action on a codebase. Progress is not here but beside the lock.

CREATE TABLE job (
  serial INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,           -- the id of the run
  root TEXT NOT NULL,
  action TEXT NOT NULL,              -- create, reindex, sync, repair
  state TEXT NOT NULL,               -- running, completed, failed, interrupted; running without a lock: interrupted
  started_at TEXT NOT NULL,
  ended_at TEXT,
  resumes TEXT,                      -- the interrupted job that this one goes on with
  cleared INTEGER NOT NULL,          -- 1: a reindex has dropped what was there, so a takeover need not
  stats TEXT NOT NULL,
  failures TEXT NOT NULL,
  error TEXT
);
CREATE INDEX job_root ON job (root, serial);

-- What flips have replaced is few, and asked for after every save.
CREATE INDEX blob_dead ON blob (tombstone) WHERE tombstone IS NOT NULL;
CREATE INDEX facts_dead ON facts (tombstone) WHERE tombstone IS NOT NULL;
CREATE INDEX transition_root ON transition (root, id);
