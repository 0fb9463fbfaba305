-- idemgen:schema 1 sha256:35e8c4cec56053ad43babe35af8d57f32e57831adbdabed6012f7638a9bca4dd
-- idemgen:table idempotency_keys
-- Issued once and never written again: put changes into a new migration.

-- The keys table of idemgen, step 1.
SET LOCAL lock_timeout = '5s';

-- One row per completed request. A row is written once, in the transaction of the work it stands for, and never
-- changed, an expired row may be replaced or purged.
CREATE TABLE "idempotency_keys" (
    -- The order of the columns keeps a row free of padding.
    created_at          timestamptz NOT NULL,
    expires_at          timestamptz NOT NULL,
    attempt             uuid        NOT NULL, -- which attempt wrote the row
    status              smallint    NOT NULL,
    body_state          smallint    NOT NULL, -- 0 stored, 1 left out by policy, 2 too large to keep
    fingerprint_version smallint    NOT NULL,
    -- bytea, not text: bytes compare the same under every collation and after every upgrade of the system's locales,
    -- which is what the primary key's promise rests on. To read them: convert_from(scope, 'UTF8').
    scope               bytea       NOT NULL,
    key                 bytea       NOT NULL, -- the text, or \xff and the 16 bytes of a lower-case UUID
    fingerprint         bytea       NOT NULL,
    operation           text        NOT NULL,
    headers             bytea       NOT NULL, -- name, value, name, value, each after its length
    body                bytea,                -- the exact bytes, null unless stored
    -- scope first: the rows of one account, and time-ordered keys in it, stand together in the index.
    PRIMARY KEY (scope, key),
    -- The one check that would be paid for by a wrong answer to a client. Each check costs every insert, what else a
    -- row has to be, the store sees to before it writes one.
    CONSTRAINT body_as_stated CHECK ((body_state = 0) = (body IS NOT NULL))
);

---- create above / drop below ----

-- Undoing this step forgets keys: requests that are retried afterwards run a second time.
SET LOCAL lock_timeout = '5s';

DROP TABLE "idempotency_keys";
