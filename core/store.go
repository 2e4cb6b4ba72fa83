package core

import (
	"context"
	"errors"
	"time"

	"github.com/slidegate/slidegate/internal/window"
)

// A Store holds counts and decides over them, atomically. memstore and redisstore are stores; another one passes the
// suite in storetest. [Counts] does the arithmetic for those that keep their counts as Go values.
//
// A Store that can be misconfigured may have a method Validate() error, whose error [New] reports beside its own.
type Store interface {
	// Take does what req says, once, and returns the store's clock at that moment: for a store in this process req.Now,
	// for one that many processes share the clock of the place where the counts are, in whole milliseconds. After a reset
	// it may be the zero time.
	//
	// It writes into req.States, for each of req.Limits, the counts as they were before it charged anything. From
	// them and the clock a Limiter works out all else, by [Request.Admitted] first of all, so Take does not say whether
	// it admitted.
	//
	// An error means that req may or may not have been charged. Take must return by req.Deadline; it must not wait for
	// ctx, whose cancellation is the client's doing and no reason not to count, and which is there for its values. It
	// must not keep req.States after it has returned. Many goroutines call it at once.
	Take(ctx context.Context, req Request) (now time.Time, err error)
}

// Op is what a [Request] asks of a Store. A Store returns ErrUnknownOp for one that it does not know.
type Op uint8

const (
	OpTake  Op = iota // charge Cost to all limits if all admit it, else to none
	OpPeek            // as OpTake, but charge nothing
	OpReset           // forget Key's counts; Limits, Cost and States are empty
)

// ErrUnknownOp is what a Store returns for an [Op] that it does not know.
var ErrUnknownOp = errors.New("core: the store does not know this operation")

// Request is one question to a [Store]. Fields may be added, and operations that use them.
type Request struct {
	Op        Op
	Algorithm Algorithm
	Param     int64 // of the algorithm, for those that have one; else 0

	// Scope and Key say whose counts. Requests of one Scope have one Algorithm, one Param and Limits of the same
	// windows in the same order, so that counts can be kept in that shape; their numbers may differ. Scope is short and
	// of letters, digits and any of "-_.:,/". Key is any non-empty string, of any bytes and length, which clients may have
	// chosen.
	Scope, Key string

	// Limits are 1 to MaxLimits, sorted by window, with different windows.
	Limits Limits
	// Cost is not negative and not above any limit.
	Cost int64

	Now      time.Time // the caller's clock: what a store in this process counts by
	Deadline time.Time // by the caller's clock too; the zero time is none

	States []State // for Take to fill; as many as Limits
}

// Admitted reports whether all of r.Limits admit r.Cost by what Take wrote into r.States.
func (r *Request) Admitted() bool {
	for i, l := range r.Limits {
		if !l.rule().Admits(r.Algorithm.kind(), window.State(r.States[i]), r.Cost) {
			return false
		}
	}
	return true
}

// State is what a store knows of one limit for one key at one time. It is of fixed size for every algorithm. Times are
// in milliseconds.
type State struct {
	// Count is what was charged in the current window, or for SlidingLog in the last Window.
	Count int64
	// Previous is what was charged in the window before the current one. Only SlidingWindow needs it.
	Previous int64
	// Elapsed is the time since the current window began, by the store's clock; for SlidingLog, since the newest charge, 0
	// if there is none. It is negative, down to minus a Window, if the clock has stepped back behind that.
	Elapsed int64
	// Room is 0, except of a SlidingLog limit that refuses: the time until enough charges have left for Cost.
	Room int64
}

func (l Limit) rule() window.Rule {
	return window.Rule{Limit: l.Requests, Window: int64(l.Window / time.Millisecond)}
}
