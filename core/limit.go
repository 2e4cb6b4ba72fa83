package core

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limit is at most Requests units of cost in a Window. A request costs 1 unless a caller says otherwise.
//
// A Limit is an [Option], and a list of them is one too. Its text form, "100/1m", is what [ParseLimit] reads and what
// JSON, YAML and environment decoders see.
type Limit struct {
	// Requests is the most that a window admits, from 1 to 4,294,967,295.
	Requests int64
	// Window is a whole number of milliseconds, from 1 ms to just under 50 days. Requests times Window in milliseconds
	// must be below 1<<53, up to which Redis calculates exactly: a billion requests a day are within it.
	Window time.Duration
}

// PerSecond is n in a second.
func PerSecond(n int64) Limit { return Limit{n, time.Second} }

// PerMinute is n in a minute.
func PerMinute(n int64) Limit { return Limit{n, time.Minute} }

// PerHour is n in an hour.
func PerHour(n int64) Limit { return Limit{n, time.Hour} }

// PerDay is n in 24 hours.
func PerDay(n int64) Limit { return Limit{n, 24 * time.Hour} }

// Per is n in a window.
func Per(n int64, window time.Duration) Limit { return Limit{n, window} }

// ParseLimit reads a limit: a number, a slash and a duration as [time.ParseDuration] has it, where a bare unit is one
// of it and d is a day of 24 hours. "100/1m", "5/s", "1000/24h" and "1000/d" are limits. The error quotes s.
func ParseLimit(s string) (Limit, error) {
	number, window, ok := strings.Cut(s, "/")
	if !ok {
		return Limit{}, fmt.Errorf(`core: limit %q: want requests, a slash and a window, as in "100/1m"`, s)
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return Limit{}, fmt.Errorf("core: limit %q: %q is not a number of requests", s, number)
	}
	w, err := parseWindow(window)
	if err != nil {
		return Limit{}, fmt.Errorf("core: limit %q: %q is not a duration", s, window)
	}
	l := Limit{n, w}
	if err := errors.Join(l.faults()...); err != nil {
		return Limit{}, fmt.Errorf("core: limit %q: %w", s, err)
	}
	return l, nil
}

// MustParseLimit is [ParseLimit] for limits that are written in the program: it panics where ParseLimit returns an
// error.
func MustParseLimit(s string) Limit {
	l, err := ParseLimit(s)
	if err != nil {
		panic(err)
	}
	return l
}

func parseWindow(s string) (time.Duration, error) {
	if s != "" && (s[0] < '0' || s[0] > '9') {
		s = "1" + s
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(s)
}

// String is the limit as ParseLimit reads it, its window in the largest of h, m, s and ms that divides it: "100/1m".
func (l Limit) String() string {
	return strconv.FormatInt(l.Requests, 10) + "/" + formatWindow(l.Window)
}

func formatWindow(w time.Duration) string {
	for _, u := range [...]struct {
		d    time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if w != 0 && w%u.d == 0 {
			return strconv.FormatInt(int64(w/u.d), 10) + u.name
		}
	}
	return w.String() // no limit's window; but what is wrong must be sayable
}

// MarshalText is String.
func (l Limit) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText is [ParseLimit].
func (l *Limit) UnmarshalText(text []byte) error {
	parsed, err := ParseLimit(string(text))
	if err == nil {
		*l = parsed
	}
	return err
}

// faults are the reasons why l is no limit.
func (l Limit) faults() (errs []error) {
	if l.Requests <= 0 {
		errs = append(errs, fmt.Errorf("requests must be positive, got %d", l.Requests))
	} else if l.Requests >= 1<<32 {
		errs = append(errs, fmt.Errorf("requests must be below 4294967296, got %d", l.Requests))
	}
	switch {
	case l.Window <= 0:
		errs = append(errs, fmt.Errorf("window must be positive, got %v", l.Window))
	case l.Window%time.Millisecond != 0:
		errs = append(errs, fmt.Errorf("window must be whole milliseconds, got %v", l.Window))
	case l.Window.Milliseconds() >= 1<<32:
		errs = append(errs, fmt.Errorf("window must be below 1193h (4294967296ms), got %v", l.Window))
	}
	// By division: the product of two such numbers may not fit 63 bits.
	if errs == nil && l.Requests > (1<<53-1)/l.Window.Milliseconds() {
		errs = append(errs, fmt.Errorf("requests times window in milliseconds must be below %d, got %v", int64(1<<53), l))
	}
	return errs
}
