package generator

import (
	"github.com/idemgen/idemgen/generator/migration"
	"github.com/idemgen/idemgen/generator/spec/extension"
)

// ruleNoMigrations is told of here, for only a configuration knows whether there are migrations.
const ruleNoMigrations = "guard-without-migrations"

// Rules are the ids of the findings about a policy, which its author can always mend. Those about the OpenAPI document
// itself, which may not be the author's, are not among them.
func Rules() []string {
	ids := []string{ruleNoMigrations, migration.RuleGuardColumn, migration.RuleGuardBeforeTable}
	for _, rule := range extension.Rules() {
		ids = append(ids, rule.ID)
	}
	return ids
}
