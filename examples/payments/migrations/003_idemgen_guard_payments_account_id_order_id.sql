-- idemgen:guard idemgen_payments_account_id_order_id_key sha256:ffbc301b2def5bffe1a9854c3d09780636961bdfd465202e18bccf28ef8a6dc3
-- Issued once and never written again: put changes into a new migration.

-- Rule of the business, named in the policy: a violation is answered as a conflict.
-- Asked for by: POST /payments.
-- It holds for rows whose columns are all set: PostgreSQL lets any number of NULLs pass, so declare them NOT NULL.
-- Rows that break it already are found by:
--   SELECT "account_id", "order_id", count(*) FROM "payments" GROUP BY "account_id", "order_id" HAVING count(*) > 1
-- The table is locked while the index is built. On a table too big for that, set `migrations.guards: concurrent` before this file
-- is issued, or replace it by CREATE UNIQUE INDEX CONCURRENTLY and ADD CONSTRAINT ... USING INDEX in two files.
SET LOCAL lock_timeout = '5s';

ALTER TABLE "payments" ADD CONSTRAINT "idemgen_payments_account_id_order_id_key" UNIQUE ("account_id", "order_id");

---- create above / drop below ----

SET LOCAL lock_timeout = '5s';

ALTER TABLE "payments" DROP CONSTRAINT IF EXISTS "idemgen_payments_account_id_order_id_key";
