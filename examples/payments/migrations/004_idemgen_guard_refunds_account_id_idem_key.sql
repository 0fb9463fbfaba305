-- idemgen:guard idemgen_refunds_account_id_idem_key_key sha256:6c96f5628be4cdaa4feb1d886902f1016e8f57342d6cb7f7068f09c056f988ab
-- Issued once and never written again: put changes into a new migration.

-- Safety net under the idempotency key: no second row of one request.
-- Asked for by: POST /payments/{payment-id}/refunds.
-- It holds for rows whose columns are all set: PostgreSQL lets any number of NULLs pass, so declare them NOT NULL.
-- Rows that break it already are found by:
--   SELECT "account_id", "idem_key", count(*) FROM "refunds" GROUP BY "account_id", "idem_key" HAVING count(*) > 1
-- The table is locked while the index is built. On a table too big for that, write two files instead: one that runs
-- CREATE UNIQUE INDEX CONCURRENTLY outside any transaction, and one that attaches the index with ADD CONSTRAINT ...
-- UNIQUE USING INDEX. Keep the first line of this file in the second, with edited in place of the hash.
SET LOCAL lock_timeout = '5s';

ALTER TABLE "refunds" ADD CONSTRAINT "idemgen_refunds_account_id_idem_key_key" UNIQUE ("account_id", "idem_key");

---- create above / drop below ----

SET LOCAL lock_timeout = '5s';

ALTER TABLE "refunds" DROP CONSTRAINT IF EXISTS "idemgen_refunds_account_id_idem_key_key";
