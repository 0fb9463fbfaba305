// Code in the shape that ent generates, much shortened. DO NOT EDIT.

package payment

import (
	"entgo.io/ent/dialect/sql"

	"example.com/idemvet/existsinsert/ent/ent/predicate"
)

const (
	// Label holds the string label denoting the payment type in the database.
	Label = "payment"
	// FieldID holds the string denoting the id field in the database.
	FieldID = "id"
	// FieldReference holds the string denoting the reference field in the database.
	FieldReference = "ref"
	// FieldAccountID holds the string denoting the account_id field in the database.
	FieldAccountID = "account_id"
	// FieldAmount holds the string denoting the amount field in the database.
	FieldAmount = "amount"
	// Table holds the table name of the payment in the database.
	Table = "payments"
)

func ID(id int) predicate.Payment          { return predicate.Payment(sql.FieldEQ(FieldID, id)) }
func Reference(v string) predicate.Payment { return predicate.Payment(sql.FieldEQ(FieldReference, v)) }
func ReferenceEQ(v string) predicate.Payment {
	return predicate.Payment(sql.FieldEQ(FieldReference, v))
}
func ReferenceNEQ(v string) predicate.Payment {
	return predicate.Payment(sql.FieldNEQ(FieldReference, v))
}
func AccountIDEQ(v int) predicate.Payment { return predicate.Payment(sql.FieldEQ(FieldAccountID, v)) }
func AmountGT(v int) predicate.Payment    { return predicate.Payment(sql.FieldGT(FieldAmount, v)) }
func And(list ...predicate.Payment) predicate.Payment {
	return predicate.Payment(sql.AndPredicates(list...))
}
func Or(list ...predicate.Payment) predicate.Payment {
	return predicate.Payment(sql.OrPredicates(list...))
}
