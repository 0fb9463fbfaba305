// Package ids mints what another package sends.
package ids

import (
	"fmt"
	"math/rand"
	"time"

	"github.com/google/uuid"
)

// Stamp is the time.
func Stamp() string { return fmt.Sprint(time.Now().UnixNano()) }

// Short is drawn.
func Short() string { return fmt.Sprintf("%08x", rand.Uint32()) }

// Long is random.
func Long() string { return uuid.NewString() }

// Of is the time, after a prefix.
func Of(prefix string) string { return prefix + "-" + Stamp() }

// Day is the date.
func Day() string { return time.Now().Format(time.DateOnly) }
