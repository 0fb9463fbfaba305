//go:build unix

package crash

// Mode is which of the service's two operations a trial uses.
type Mode string

// The modes.
const (
	Transaction Mode = "transaction"
	Lease       Mode = "lease"
)

// Point is a place on the way of a request at which something can be made to happen.
type Point string

// The points of transaction mode.
const (
	BeforeClaim  Point = "before claim"
	AfterClaim   Point = "after claim"
	BeforeWrite  Point = "before write"
	BeforeCommit Point = "before commit"
	AfterCommit  Point = "after commit"
)

// The points of lease mode. After takeover is recovery's, on reconcile is that of whoever took work over.
const (
	BeforeLease    Point = "before lease"
	AfterLease     Point = "after lease"
	AfterTakeover  Point = "after takeover"
	OnReconcile    Point = "on reconcile"
	ReserveWrite   Point = "reserve: before write"
	ReserveCommit  Point = "reserve: before commit"
	ReserveDone    Point = "reserve: after commit"
	ChargeCall     Point = "charge: before call"
	ChargeEffect   Point = "charge: after effect"
	ChargeStored   Point = "charge: stored"
	NotifyCall     Point = "notify: before call"
	NotifyEffect   Point = "notify: after effect"
	NotifyStored   Point = "notify: stored"
	CompleteWrite  Point = "complete: before write"
	CompleteCommit Point = "complete: before commit"
	CompleteDone   Point = "complete: after commit"
)

// points are those of each mode, in the order in which a request passes them.
var points = map[Mode][]Point{
	Transaction: {BeforeClaim, AfterClaim, BeforeWrite, BeforeCommit, AfterCommit},
	Lease: {
		BeforeLease, AfterLease, ReserveWrite, ReserveCommit, ReserveDone, ChargeCall, ChargeEffect, ChargeStored,
		NotifyCall, NotifyEffect, NotifyStored, CompleteWrite, CompleteCommit, CompleteDone, AfterTakeover, OnReconcile,
	},
}

// writes are the points that are followed by a write whose outcome a lost connection leaves open.
var writes = map[Mode][]Point{
	Transaction: {BeforeClaim, BeforeCommit},
	Lease:       {BeforeLease, ReserveCommit, ChargeEffect, NotifyEffect, CompleteCommit},
}

// The steps of lease mode.
const (
	reserve = "reserve"
	charge  = "charge"
	notify  = "notify"
)

// stepPoints are the points of a step's way into the database: before and after.
var stepPoints = map[string][2]Point{
	reserve:  {ReserveCommit, ReserveDone},
	charge:   {"", ChargeStored},
	notify:   {"", NotifyStored},
	complete: {CompleteCommit, CompleteDone},
}

// complete stands for the completion where steps are told apart by name.
const complete = "complete"

// callPoints are the points of a step's call: before it, and when it has had its effect.
var callPoints = map[string][2]Point{charge: {ChargeCall, ChargeEffect}, notify: {NotifyCall, NotifyEffect}}
