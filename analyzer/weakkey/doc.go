// Package weakkey defines an Analyzer that finds idempotency keys made of something that cannot tell operations apart, or that tells too much.
//
// # Analyzer weakkey
//
// weakkey: find idempotency keys made of the time, a counter, math/rand, a constant or personal data
//
// Two operations must never have one key, and one operation must have one key however often it is sent. The time, a counter
// and a number from math/rand promise neither: the values of two processes meet, and a retry that starts further up gets
// another one. The server then drops a payment that was meant, or takes one twice.
//
// # What it reports
//
//   - key-from-time (error): the key is made of the current time and nothing else that varies.
//   - time-in-key (warning): the current time stands beside an id in the key, so that a retry by the caller is another
//     operation.
//   - key-from-counter (error): the key is a number that starts again with the process or with the loop: atomic.Add, a
//     variable or a member that goes up by one, the index of a loop.
//   - key-from-math-rand (warning): the key is drawn from math/rand, which can be guessed, and which draws short numbers twice.
//   - constant-key (error): the key is one literal for all calls.
//   - personal-data-in-key (warning): an e-mail address, a telephone number or the like is in the key as it is.
//   - key-from-content (info): the key is a hash of what is sent, with nothing in it that tells two equal orders apart.
//
// # Why
//
// A key made of the second of the call works in every test and fails on a busy day: two customers pay within one second, the
// server finds the key of the first and answers the second with the first one's receipt. The second payment is never taken,
// and nobody is told. A counter fails in the same way after the next deployment, when it starts at one again while the server
// still remembers yesterday's ones. Personal data fails differently: keys are written to logs, traces and support tools of
// everyone who handles the request, and providers ask for keys without it.
//
// # Before and after
//
//	params.SetIdempotencyKey(fmt.Sprintf("pay-%d", time.Now().Unix()))
//
// becomes, where the operation has an id of its own that is stored before the first try,
//
//	params.SetIdempotencyKey("pay-" + order.ID)
//
// and, where it has none,
//
//	order.PaymentKey = uuid.NewString() // stored with the order, read again by every retry
//	params.SetIdempotencyKey(order.PaymentKey)
//
// # What it stays silent on
//
//   - Random keys, and keys with a random part: UUID versions 1, 4, 6 and 7, ULID, KSUID, crypto/rand, also beside the time.
//   - Keys derived from a stored id, a name-based UUID or an HMAC.
//   - The index of an item beside the id of its batch, and in a program (package main) the index alone.
//   - The time in steps of a minute or longer, as in one report a day: Format without seconds, Truncate, division.
//   - A time that was stored, such as when the order was made.
//   - Personal data in a hash, and anything that goes into other headers.
//   - Literals in programs (package main) and in init, which run once, in packages that help tests, and literals that are the
//     name of a header or of a column.
//
// # What it cannot see
//
//   - What a value from a function in no view is made of.
//   - Counters of a database or of another process; they are taken for ids, as they should be.
//   - Whether a parameter holds a good key: that is looked at where it is given.
//   - Personal data in a variable whose name does not say so.
//
// # Configuration
//
// key-names lists further names of headers, fields and parameters that hold a key; mints lists functions whose result is a
// good key, whatever they do inside.
//
// Since v0.1.0.
package weakkey
