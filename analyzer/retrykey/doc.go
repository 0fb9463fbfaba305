// Package retrykey defines an Analyzer that finds idempotency keys which are minted anew for each try of one request.
//
// # Analyzer retrykey
//
// retrykey: find idempotency keys that are minted anew for each try
//
// An idempotency key tells a server that two requests are one operation. A key that is made inside of the retry is another
// one for each try, so the server does the work again: the header is there, and it protects nothing.
//
// # What it reports
//
//   - mint-in-retry-loop (error): a value that is new each time (a UUID, random bytes, the time) is made in a loop that
//     retries and becomes an idempotency key there.
//   - mint-in-retry-callback (error): a value that is new each time is made in a function that a retry helper calls until it
//     succeeds, or in a hook that runs before each try, and becomes an idempotency key there.
//   - mint-below-retry (error): what is called in a loop that retries, or handed to a retry helper, mints the key that it
//     sends, in this package or in another, any number of calls away.
//   - attempt-in-key (error): the number of the attempt is part of the key.
//   - mint-in-recursion (error): a function mints a key and calls itself after an error.
//   - mint-in-at-least-once-handler (warning): a handler that a queue or workflow engine runs again after a failure mints a
//     key. Only with the setting at-least-once.
//
// # Why
//
// A client sends a payment and the answer is lost: a timeout, a reset connection. The client tries again, as it should. The
// server has seen the first request and has booked it. If the second one has the same key, the server answers with the first
// result. If the key was made in the loop, the server books a second payment. Tests do not show it, because a test server
// does not lose answers after it has done the work.
//
// # Before and after
//
//	for attempt := 0; attempt < 3; attempt++ {
//		req.Header.Set("Idempotency-Key", uuid.NewString())
//		if resp, err := client.Do(req); err == nil {
//			return resp, nil
//		}
//		time.Sleep(pause)
//	}
//
// becomes
//
//	idempotencyKey := uuid.NewString()
//	for attempt := 0; attempt < 3; attempt++ {
//		req.Header.Set("Idempotency-Key", idempotencyKey)
//		...
//	}
//
// The suggested fix does that where the mint does not depend on the turn. It changes what the program does, so read it: the
// key still has to be kept across a restart if the retry goes on after one.
//
// # What it takes for a key and for a retry
//
// A key is a header, field, parameter, setter or entry of a map that is named for one (Idempotency-Key, IdempotencyKey,
// PayPal-Request-Id), a ClientToken or the like of a cloud's SDK, and an entry "ClientToken" of a map. Optional types that
// hold a text are looked into. A retry is a loop with signs of one, a callback of cenkalti/backoff, avast/retry-go,
// sethvargo/go-retry, go-resiliency, failsafe-go, Kubernetes' wait and retry or Terraform's plugin SDK, and one of any
// function that calls it in such a loop, also when it is given in a field of a struct.
//
// # What it stays silent on
//
//   - A key that is minted before the loop, or handed in.
//   - A key that is set only if there is none yet, when what is looked at lives longer than one try.
//   - One key per item: ranges, pages, messages from a channel or a queue, ticks, goroutines of a fan-out.
//   - Loops that draw an identifier until one is free.
//   - Identifiers that must differ per try: request, trace and correlation ids, nonces, consumer tags.
//   - Keys derived from what stays the same: UUID versions 3 and 5, hashes, the id of an order or a job.
//   - A new key after a particular answer, while other tries keep the old one.
//
// # What it cannot see
//
//   - Which function a value of an interface type has, when more than one type of the module implements it, or when the package of the one that
//     does is imported nowhere below the package that retries.
//   - Requests that a queue, another process or a user sends again.
//   - Keys in bodies that are put together as text.
//   - Retries of a proxy or a service mesh.
//   - A middleware that mints below a client which retries, when the two meet at run time only.
//
// # Configuration
//
// mints and retries name functions of the house that mint a value or retry a function, key-names further names of keys.
// at-least-once looks into handlers of Temporal, River, asynq, Watermill, Kafka and the like. A helper that carries the
// directive "//idemvet:ignore retrykey reason" where it mints is not held against its callers, in other packages either.
//
// Since v0.1.0.
package retrykey
