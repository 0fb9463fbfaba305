-- Refused while there is work in progress: without its columns it could be neither finished nor told from an answer.
DO $$
BEGIN
    IF EXISTS (SELECT FROM "idempotency_keys" WHERE status = 0) THEN
        RAISE EXCEPTION 'idempotency: there is work in progress in lease mode; finish or release it first';
    END IF;
END
$$;
DROP TABLE "idempotency_keys_releases";
DROP INDEX IF EXISTS "idempotency_keys_in_progress";
ALTER TABLE "idempotency_keys"
    DROP COLUMN steps,
    DROP COLUMN request,
    DROP COLUMN epoch,
    DROP COLUMN lease_until;
