-- idemgen:schema 1 sha256:0b542961b962c3b4da877941410c270d490a9e85fd1be2c9cae88b6a888d23a2
-- idemgen:table idempotency_keys
-- Issued once and never written again: put changes into a new migration.

-- Keys table of idemgen, step 1: one row per scope and key, written in the transaction of the work it stands for.
SET LOCAL lock_timeout = '5s';

-- One row per completed request. A row is written once, in the transaction of the work it stands for, and never
-- changed; an expired row may be replaced or purged.
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
    key                 bytea       NOT NULL,
    fingerprint         bytea       NOT NULL,
    operation           text        NOT NULL,
    headers             bytea       NOT NULL, -- name, value, name, value, each after its length
    body                bytea,                -- the exact bytes; null unless stored
    -- scope first: the rows of one account, and time-ordered keys in it, stand together in the index.
    PRIMARY KEY (scope, key),
    -- An index row of a btree holds 2704 bytes at most.
    CONSTRAINT scope_fits CHECK (octet_length(scope) BETWEEN 1 AND 1536),
    CONSTRAINT key_fits CHECK (octet_length(key) BETWEEN 1 AND 1024),
    CONSTRAINT status_is_http CHECK (status BETWEEN 100 AND 999),
    CONSTRAINT body_as_stated CHECK (body_state IN (0, 1, 2) AND (body IS NOT NULL) = (body_state = 0)),
    CONSTRAINT expires_after_creation CHECK (expires_at >= created_at)
);

---- create above / drop below ----

-- Undoing this step forgets keys: requests that are retried afterwards run a second time.
SET LOCAL lock_timeout = '5s';

DROP TABLE "idempotency_keys";
