package core

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits are limits that all must admit a request, or none is charged: a burst limit beside a daily one.
//
// No two may have the same window, since the stricter would make the other moot. Their order does not matter.
type Limits []Limit

// MaxLimits is the most limits that a Limiter takes.
const MaxLimits = 8

// maxLog is the largest limit of a SlidingLog, which keeps an entry a request.
const maxLog = 10_000

// check returns a copy of the limits in the order of their windows, or all reasons why a limiter cannot use them.
func (ls Limits) check(a Algorithm) (Limits, error) {
	if len(ls) == 0 {
		return nil, errors.New("core: no limit: give at least one, such as core.PerMinute(100)")
	}
	if len(ls) > MaxLimits {
		return nil, fmt.Errorf("core: %d limits: at most %d", len(ls), MaxLimits)
	}
	var errs []error
	for i, l := range ls {
		faults := l.faults()
		if a == SlidingLog && l.Requests > maxLog {
			faults = append(faults, fmt.Errorf("SlidingLog takes at most %d requests, got %d", maxLog, l.Requests))
		}
		for _, fault := range faults {
			errs = append(errs, fmt.Errorf("core: limit %d: %w", i+1, fault))
		}
		for j, earlier := range ls[:i] {
			if earlier.Window == l.Window {
				errs = append(errs, fmt.Errorf("core: limit %d: %v has the window of limit %d, %v", i+1, l, j+1, earlier))
			}
		}
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	ls = slices.Clone(ls) // the caller may go on to change what it gave
	slices.SortFunc(ls, func(a, b Limit) int { return cmp.Compare(a.Window, b.Window) })
	// A record numbers windows in 32 bits and lives for two of the longest: no number may come again in that time.
	if first, last := ls[0], ls[len(ls)-1]; last.Window/first.Window >= 1<<31 {
		return nil, fmt.Errorf("core: limits %v and %v: one window is more than %d times the other", first, last, int64(1<<31))
	}
	return ls, nil
}

// sameWindows reports whether records of ls can be read as records of other; both are sorted.
func (ls Limits) sameWindows(other Limits) bool {
	return slices.EqualFunc(ls, other, func(a, b Limit) bool { return a.Window == b.Window })
}

// String is the limits as ParseLimit reads them, separated by commas.
func (ls Limits) String() string {
	return ls.join(Limit.String)
}

// windows is the windows alone, separated by commas.
func (ls Limits) windows() string {
	return ls.join(func(l Limit) string { return formatWindow(l.Window) })
}

func (ls Limits) join(text func(Limit) string) string {
	var b strings.Builder
	for i, l := range ls {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text(l))
	}
	return b.String()
}
