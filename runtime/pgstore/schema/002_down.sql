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
