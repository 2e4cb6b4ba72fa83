package headers

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/slidegate/slidegate/core"
)

// Style is how a decision is told in response headers. A Style is safe for concurrent use.
//
// Write is called before the response is begun, once for each limiter that decides over the request; h may hold what
// earlier ones wrote, or others. Write must never put a slice into h that another response holds too: a handler that
// appends to its header would change someone else's.
type Style interface {
	Write(h http.Header, res core.Result)
}

// None writes nothing.
var None Style = none{}

type none struct{}

func (none) Write(http.Header, core.Result) {}

// Join writes all of styles, in their order. It panics if one of them is nil.
func Join(styles ...Style) Style {
	for i, s := range styles {
		if s == nil {
			panic(fmt.Sprintf("headers: Join: style %d is nil", i+1))
		}
	}
	return joined(slices.Clone(styles))
}

type joined []Style

func (j joined) Write(h http.Header, res core.Result) {
	for _, s := range j {
		s.Write(h, res)
	}
}

// counted reports whether there was a count to tell of. Without one, what is left and when it is whole are unknown.
func counted(res core.Result) bool {
	return !res.Degraded && res.RetryAfter != core.Never
}

// integer is n within what both a structured field can hold, 15 digits, and a client can make sense of. Limits of
// core are far below; a Result may have been made by others.
func integer(n int64) int64 { return min(max(n, 0), 999_999_999_999_999) }

// seconds is d in seconds, rounded up.
func seconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d%time.Second > 0 {
		s++
	}
	return s
}
