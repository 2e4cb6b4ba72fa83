package core

import (
	"strconv"
	"time"
)

// Event is something that happened to a limiter, for metrics, logs and traces; see [Observe]. It never holds a key:
// who was limited is personal, and would make a metric of unbounded size.
type Event struct {
	Kind    Kind
	Limiter string        // its name
	Code    string        // a stable word for what exactly, such as "allowed", "refused", "store"; see the constants
	Message string        // a sentence for people, where Code alone does not say it
	Result  Result        // of a decision; zero in events of other kinds, and where nothing was decided over
	Took    time.Duration // from the call to the decision; 0 in events of other kinds
	Err     error         // what went wrong, if something did
}

// Kind is the kind of an [Event]. More may be added; an observer ignores those that it does not know.
type Kind uint8

const (
	// Decided is a decision. Its Code says which: see CodeAllowed and its like.
	Decided Kind = iota + 1
	// Degraded is a limiter's store beginning to fail, or failing from the start; once, however many decisions fail.
	Degraded
	// Recovered is a limiter's store working after it had failed.
	Recovered
	// Misconfigured is a likely mistake in how a limiter is set up. Message says what to do.
	Misconfigured
)

// String is the kind's name, in lower case.
func (k Kind) String() string {
	switch k {
	case Decided:
		return "decided"
	case Degraded:
		return "degraded"
	case Recovered:
		return "recovered"
	case Misconfigured:
		return "misconfigured"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// Codes of the kinds Decided, Degraded and Recovered.
const (
	CodeAllowed = "allowed" // Decided: admitted by the counts
	CodeRefused = "refused" // Decided: refused by the counts
	CodeFailed  = "failed"  // Decided: the store did not answer, so that the failure mode decided; Err says why
	CodeInvalid = "invalid" // Decided: refused for the caller's mistake, such as a negative cost; Err says which
	CodeStore   = "store"   // Degraded and Recovered: what failed, or works again, is the store
)
