// Package models has rows and imports no library.
package models

// Invoice is kept where nobody would guess.
type Invoice struct {
	ID  int64
	Ref string `gorm:"column:reference"`
}

// TableName is gorm's Tabler.
func (*Invoice) TableName() string { return prefix + "invoices" }

const prefix = "v2_"
