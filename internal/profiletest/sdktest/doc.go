// Package sdktest sends providers' own Go clients against services under their profiles: stripe-go against stripe, the AWS
// SDK against aws. It has a go.mod of its own, since nobody who uses the project needs the clients.
//
// In: a service of package profiletest, a network that loses answers. Out: failed tests. It must never know what a client
// does inside: it sees requests, answers and what the client gives its caller.
package sdktest
