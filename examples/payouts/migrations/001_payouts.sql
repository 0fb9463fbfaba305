-- The business tables: what the service keeps, apart from keys.
CREATE TABLE accounts (
    id      text   PRIMARY KEY,
    balance bigint NOT NULL CHECK (balance >= 0) -- without what is set aside for payouts
);

INSERT INTO accounts (id, balance) VALUES ('account-1', 1000000), ('account-2', 1000000);

CREATE TABLE payouts (
    id          uuid   PRIMARY KEY DEFAULT gen_random_uuid(),
    account_id  text   NOT NULL REFERENCES accounts (id),
    destination text   NOT NULL,
    amount      bigint NOT NULL CHECK (amount > 0),
    transfer_id text             -- the bank's; NULL while money is only set aside
);

---- create above / drop below ----

DROP TABLE payouts;
DROP TABLE accounts;
