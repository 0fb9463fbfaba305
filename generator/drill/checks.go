package drill

import "github.com/idemgen/idemgen/generator/policydoc"

// check tests one promise. It judges what the session has seen already, and sends what it needs besides.
type check struct {
	promise string
	when    phase
	run     func(*session, *policydoc.PublishedPromise) Result
}

// checks are run in this order: what makes the operation's one effect comes first, then what repeats it, then what is
// refused and leaves no trace, then what takes an effect of its own.
var checks = []check{
	{policydoc.PromiseNotKept, now, checkNotKept},
	{policydoc.PromiseOneEffect, now, checkOneEffect},
	{policydoc.PromiseInFlight, now, checkInFlight},
	{policydoc.PromiseKept, now, checkKept},
	{policydoc.PromiseReplay, now, checkReplay},
	{policydoc.PromiseReplayStatus, now, checkReplayStatus},
	{policydoc.PromiseReplayHeaders, now, checkReplayHeaders},
	{policydoc.PromiseReplayMarker, now, checkReplayMarker},
	{policydoc.PromiseReplayLimit, now, checkReplayLimit},
	{policydoc.PromiseAnswerHeaders, now, checkAnswerHeaders},
	{policydoc.PromiseKeyPlace, now, checkKeyPlace},
	{policydoc.PromiseKeySyntax, now, checkKeySyntax},
	{policydoc.PromiseMismatch, now, checkMismatch},
	{policydoc.PromiseSameRequest, now, checkSameRequest},
	{policydoc.PromiseBodyCompared, now, checkBodyCompared},
	{policydoc.PromiseKeyRequired, now, checkKeyRequired},
	{policydoc.PromiseKeyLength, now, checkKeyLength},
	{policydoc.PromiseKeyPattern, now, checkKeyPattern},
	{policydoc.PromiseKeyPersonalData, now, checkKeyPersonalData},
	{policydoc.PromiseKeyMalformed, now, checkKeyMalformed},
	{policydoc.PromiseFirstSent, now, checkFirstSent},
	{policydoc.PromiseFirstSentExpired, now, checkFirstSentExpired},
	{policydoc.PromiseScope, now, checkScope},
	{policydoc.PromiseKeyFormat, now, checkKeyFormat},
	{policydoc.PromiseKeyOptional, now, checkKeyOptional},
	{policydoc.PromiseRetention, before, checkRetention},
	{policydoc.PromiseRetentionEnd, after, checkRetentionEnd},
}
