CREATE TABLE sch_accounts (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email TEXT NOT NULL,
    handle TEXT NOT NULL UNIQUE,
    nickname TEXT UNIQUE,
    region TEXT NOT NULL
);
CREATE INDEX sch_accounts_region ON sch_accounts (region);

CREATE TABLE sch_prices (
    id BIGSERIAL PRIMARY KEY,
    model TEXT NOT NULL,
    provider TEXT,
    cents BIGINT NOT NULL,
    UNIQUE (model, provider)
);

CREATE TABLE sch_coupons (
    code TEXT NOT NULL,
    state TEXT NOT NULL,
    deleted_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX sch_coupons_open ON sch_coupons (code) WHERE state = 'open';

CREATE TABLE sch_members (
    team BIGINT NOT NULL,
    login TEXT NOT NULL,
    deleted_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX sch_members_alive ON sch_members (team, login) WHERE deleted_at IS NULL;
