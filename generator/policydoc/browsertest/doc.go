// Package browsertest holds the published page against a real browser.
//
// In: the pages of the examples, of the bank of policydoc's tests and of two real documents; an installed Chromium. Out: a
// failed test for text that is hard to read, for a page that scrolls sideways, for a link that leads nowhere, and for
// anything that the page asks of the network. It must never know how a page is made.
//
// It is a module of its own, so that nobody who uses idemgen gets a browser's driver with it.
package browsertest
