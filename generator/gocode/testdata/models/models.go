// Package models stands for types that a user has already, written by hand or by another generator. Their fields are not
// those that idemgen would choose.
package models

import (
	"encoding/json"
	"errors"
)

// Payment is the schema Payment.
type Payment struct {
	Id        string            `json:"id"` //nolint:revive // as other generators name it
	Amount    Cents             `json:"amount"`
	Currency  Currency          `json:"currency"`
	Note      *string           `json:"note"`
	Lines     []Line            `json:"lines"`
	Status    string            `json:"status,omitempty"`
	CreatedAt string            `json:"created_at"`
	Metadata  map[string]string `json:"metadata,omitempty"`
}

// Line is the schema Line.
type Line struct {
	Sku      string `json:"sku"`
	Quantity int    `json:"quantity"`
}

// Currency is the schema Currency.
type Currency string

// Problem is the schema Problem.
type Problem struct {
	Title string `json:"title"`
}

// Cents is an amount that refuses what the service cannot pay.
type Cents int64

// UnmarshalJSON implements json.Unmarshaler.
func (c *Cents) UnmarshalJSON(data []byte) error {
	var n int64
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	if n == 13 {
		return errors.New("unlucky: " + string(data))
	}
	*c = Cents(n)
	return nil
}
