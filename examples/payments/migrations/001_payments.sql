-- The business tables: what the service keeps, apart from keys.
CREATE TABLE payments (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    account_id text        NOT NULL,
    -- NULL: a payment without an order. The generated guard lets any number of those pass.
    order_id   text,
    amount     bigint      NOT NULL CHECK (amount > 0),
    currency   text        NOT NULL,
    idem_key   text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE refunds (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    account_id text        NOT NULL,
    payment_id uuid        NOT NULL REFERENCES payments (id),
    amount     bigint      NOT NULL CHECK (amount > 0),
    reason     text,
    idem_key   text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX refunds_payment_id ON refunds (payment_id);

---- create above / drop below ----

DROP TABLE refunds;
DROP TABLE payments;
