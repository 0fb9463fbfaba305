-- idemgen:guard idemgen_payments_account_id_order_id_key sha256:f263934fb0904977bf65b4940426c46a8c212c087473961a56d271428f61f797
-- Issued once and never written again: put changes into a new migration.

-- Rule of the business, named in the policy: a violation is answered as a conflict.
-- Asked for by: POST /payments.
-- It holds for rows whose columns are all set: PostgreSQL lets any number of NULLs pass, so declare them NOT NULL.
-- Rows that break it already are found by:
--   SELECT "account_id", "order_id", count(*) FROM "payments" GROUP BY "account_id", "order_id" HAVING count(*) > 1
-- The table is locked while the index is built. On a table too big for that, write two files instead: one that runs
-- CREATE UNIQUE INDEX CONCURRENTLY outside any transaction, and one that attaches the index with ADD CONSTRAINT ...
-- UNIQUE USING INDEX. Keep the first line of this file in the second, with edited in place of the hash.
SET LOCAL lock_timeout = '5s';

ALTER TABLE "payments" ADD CONSTRAINT "idemgen_payments_account_id_order_id_key" UNIQUE ("account_id", "order_id");

---- create above / drop below ----

SET LOCAL lock_timeout = '5s';

ALTER TABLE "payments" DROP CONSTRAINT IF EXISTS "idemgen_payments_account_id_order_id_key";
