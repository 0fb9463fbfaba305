-- What lease mode adds. A row of work in progress has status 0 and expires_at 'infinity': it never expires, and a program
-- that does not know lease mode cannot read it, so it refuses the request rather than to run the work twice. A completed
-- row has all of these null, as the rows of transaction mode have: 8 bytes a row, for the map of what is null.
ALTER TABLE "idempotency_keys"
    ADD COLUMN lease_until timestamptz, -- until when the worker holds the row without a sign of life
    ADD COLUMN epoch       bigint,      -- counts the workers; what one with an older epoch writes changes nothing
    ADD COLUMN request     bytea,       -- the request, so that it can be run again without its client
    ADD COLUMN steps       bytea;       -- the steps that are done, with their results

-- For recovery, and for whoever looks for stuck work. It holds the rows in progress only; created_at never changes, so a
-- heartbeat does not touch it. On a large table, create it by CREATE INDEX CONCURRENTLY beforehand.
CREATE INDEX IF NOT EXISTS "idempotency_keys_in_progress" ON "idempotency_keys" (created_at) WHERE status = 0;

-- Who ended work in progress by hand, when and why.
CREATE TABLE "idempotency_keys_releases" (
    released_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    released_by text        NOT NULL,
    reason      text        NOT NULL,
    action      text        NOT NULL, -- 'freed': the record was removed; 'handed over': its lease was ended
    scope       bytea       NOT NULL,
    key         bytea       NOT NULL,
    operation   text        NOT NULL,
    created_at  timestamptz NOT NULL,
    epoch       bigint      NOT NULL,
    steps       bytea
);
