// Package domain has the entities and sentinels of the layers.
package domain

import "errors"

type Order struct {
	ID        string
	Reference string
	Cents     int64
}

type Receipt struct {
	ID    string
	Order string
}

var (
	ErrNotFound  = errors.New("not found")
	ErrDuplicate = errors.New("duplicate")
)
