ALTER TABLE sch_accounts ADD COLUMN reference TEXT NOT NULL DEFAULT '';
ALTER TABLE sch_accounts ADD CONSTRAINT sch_accounts_reference UNIQUE (region, reference);
