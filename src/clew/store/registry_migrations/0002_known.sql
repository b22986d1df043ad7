-- What was last known of a codebase, for lists made while its store cannot be read. Proof of nothing.
ALTER TABLE codebase ADD COLUMN state TEXT NOT NULL DEFAULT 'not_found';
ALTER TABLE codebase ADD COLUMN files INTEGER NOT NULL DEFAULT 0;
ALTER TABLE codebase ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;
