// Package keyflow finds where idempotency keys come from and where they go: which functions mint a new value, which send a value as an idempotency key, which of them mint what they send, and which call a function again until it succeeds. It follows helpers of any package through facts.
// What comes in is a package; what goes out are mints, senders and retries for each function, call and value.
// It must never judge: what is a bug is said in retrykey and weakkey.
package keyflow
