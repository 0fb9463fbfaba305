-- idemgen:guard idemgen_refunds_account_id_idem_key_key sha256:9d69d86709f2d023f4454d0fb85193a878d39460ce0ad5c12f8a5cff0006ed74
-- Issued once and never written again: put changes into a new migration.

-- Safety net under the idempotency key: no second row of one request.
-- Asked for by: POST /payments/?payment-id?/refunds.
-- It holds for rows whose columns are all set: PostgreSQL lets any number of NULLs pass, so declare them NOT NULL.
-- Rows that break it already are found by:
--   SELECT "account_id", "idem_key", count(*) FROM "refunds" GROUP BY "account_id", "idem_key" HAVING count(*) > 1
-- The table is locked while the index is built. On a table too big for that, set `migrations.guards: concurrent` before this file
-- is issued, or replace it by CREATE UNIQUE INDEX CONCURRENTLY and ADD CONSTRAINT ... USING INDEX in two files.
SET LOCAL lock_timeout = '5s';

ALTER TABLE "refunds" ADD CONSTRAINT "idemgen_refunds_account_id_idem_key_key" UNIQUE ("account_id", "idem_key");

---- create above / drop below ----

SET LOCAL lock_timeout = '5s';

ALTER TABLE "refunds" DROP CONSTRAINT IF EXISTS "idemgen_refunds_account_id_idem_key_key";
