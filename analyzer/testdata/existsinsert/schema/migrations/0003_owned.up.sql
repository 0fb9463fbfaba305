CREATE TABLE sch_claims (
    id UUID PRIMARY KEY,
    merchant_id UUID NOT NULL,
    key TEXT NOT NULL,
    batch TEXT NOT NULL,
    UNIQUE (merchant_id, key),
    UNIQUE (merchant_id)
);
