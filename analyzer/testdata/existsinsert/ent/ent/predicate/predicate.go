// Code in the shape that ent generates, much shortened. DO NOT EDIT.

package predicate

import "entgo.io/ent/dialect/sql"

// Payment is the predicate function for payment builders.
type Payment func(*sql.Selector)
