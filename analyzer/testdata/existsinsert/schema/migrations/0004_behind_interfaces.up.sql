CREATE TABLE vouchers (
    id UUID PRIMARY KEY,
    reference TEXT NOT NULL UNIQUE
);
CREATE TABLE tickets (
    id UUID PRIMARY KEY,
    serial TEXT NOT NULL
);
CREATE TABLE purses (
    id UUID PRIMARY KEY,
    user_id UUID NOT NULL,
    currency TEXT NOT NULL,
    kind TEXT NOT NULL,
    UNIQUE (user_id, currency, kind)
);
