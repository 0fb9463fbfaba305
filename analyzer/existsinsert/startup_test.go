package existsinsert

import "testing"

func TestStartUpNames(t *testing.T) {
	for name, want := range map[string]bool{
		"init": true, "Init": true, "initDB": true, "InitTables": true, "init_db": true, "initialise": true, "InitializeAccounts": true, "Setup": true, "seedUsers": true, "migrateUp": true, "main": true, "createDefaultRole": true,
		"InitiateTransfer": false, "initiatePayment": false, "Initial": false, "CreateOrder": false, "Domain": false,
	} {
		if got := startUpName.MatchString(name); got != want {
			t.Errorf("%s: at start-up %v, want %v", name, got, want)
		}
	}
}
