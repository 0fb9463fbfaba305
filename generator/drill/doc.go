// Package drill tests a published policy against a running server, over plain HTTP and in any language.
//
// In: what [policydoc.ReadJSON] reads from a policy, a base URL, credentials, and bodies where the policy's examples are
// not enough. Out: a [Report] that says of each promise whether it is kept, broken or not testable, with what was sent
// and what came. It must never know the server's code or database, and it must never be the cause of more effects than
// it has said before.
//
// The requests of an operation are planned so that one effect serves as many promises as it can: the first requests are
// the concurrent duplicates, and all that follows repeats, varies or spoils them. A new promise is one file with its
// check and one line in the table of checks.
package drill
