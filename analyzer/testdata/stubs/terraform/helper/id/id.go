// Package id stands for the one of Terraform's plugin SDK.
package id

// UniqueIdPrefix stands in front of every id.
const UniqueIdPrefix = `terraform-`

// UniqueId gives an id that is new at every call.
func UniqueId() string { return PrefixedUniqueId(UniqueIdPrefix) }

// PrefixedUniqueId gives an id that is new at every call, with something in front.
func PrefixedUniqueId(prefix string) string { return prefix }
