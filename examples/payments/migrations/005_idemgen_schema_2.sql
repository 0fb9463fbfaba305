-- idemgen:schema 2 sha256:4b47c09a34fcdb8bc8d5fc4f603de002518bc6f4d575126c3ec3babea153aa79
-- idemgen:table idempotency_keys
-- Issued once and never written again: put changes into a new migration.

-- The keys table of idemgen, step 2.
SET LOCAL lock_timeout = '5s';

-- What lease mode adds. A row of work in progress has status 0 and expires_at 'infinity': it never expires, and a program
-- that does not know lease mode cannot read it, so it refuses the request rather than to run the work twice. A completed
-- row has all of these null, as the rows of transaction mode have: 8 bytes a row, for the map of what is null.
ALTER TABLE "idempotency_keys"
    ADD COLUMN lease_until timestamptz, -- until when the worker holds the row without a sign of life
    ADD COLUMN epoch       bigint,      -- counts the workers, what one with an older epoch writes changes nothing
    ADD COLUMN request     bytea,       -- the request, so that it can be run again without its client
    ADD COLUMN steps       bytea;       -- the steps that are done, with their results

-- For recovery, and for whoever looks for stuck work. It holds the rows in progress only, created_at never changes, so a
-- heartbeat does not touch it. On a large table, create it by CREATE INDEX CONCURRENTLY beforehand.
CREATE INDEX IF NOT EXISTS "idempotency_keys_in_progress" ON "idempotency_keys" (created_at) WHERE status = 0;

-- Who ended work in progress by hand, when and why.
CREATE TABLE "idempotency_keys_releases" (
    released_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    released_by text        NOT NULL,
    reason      text        NOT NULL,
    action      text        NOT NULL, -- 'freed': the record was removed, 'handed over': its lease was ended
    scope       bytea       NOT NULL,
    key         bytea       NOT NULL,
    operation   text        NOT NULL,
    created_at  timestamptz NOT NULL,
    epoch       bigint      NOT NULL,
    steps       bytea
);

---- create above / drop below ----

-- Undoing this step forgets keys: requests that are retried afterwards run a second time.
SET LOCAL lock_timeout = '5s';

-- Refused while there is work in progress, as its rows violate the constraint: without these columns the work could be
-- neither finished nor told from an answer. Finish or release it first.
ALTER TABLE "idempotency_keys" ADD CONSTRAINT no_work_in_progress CHECK (status <> 0);

ALTER TABLE "idempotency_keys" DROP CONSTRAINT no_work_in_progress;

DROP TABLE "idempotency_keys_releases";

DROP INDEX IF EXISTS "idempotency_keys_in_progress";

ALTER TABLE "idempotency_keys"
    DROP COLUMN steps,
    DROP COLUMN request,
    DROP COLUMN epoch,
    DROP COLUMN lease_until;
