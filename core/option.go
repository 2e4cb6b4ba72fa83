package core

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// Option is one thing that a limiter is made of: a [Limit], [Limits], an [Algorithm], a [FailureMode], or what [Name],
// [Timeout] and [Observe] return. Limits add up; of anything else that is given twice, the last one counts.
type Option interface{ apply(*config) }

type config struct {
	name     string
	named    bool
	limits   Limits
	alg      Algorithm
	mode     FailureMode
	timeout  time.Duration
	observer func(context.Context, Event)
	errs     []error // of options that can be wrong by themselves
}

const (
	defaultName    = "default"
	defaultTimeout = 50 * time.Millisecond
	minTimeout     = time.Millisecond
	maxTimeout     = time.Minute
	maxName        = 64
)

// option is an Option that is code.
type option func(*config)

func (o option) apply(c *config)      { o(c) }
func (l Limit) apply(c *config)       { c.limits = append(c.limits, l) }
func (ls Limits) apply(c *config)     { c.limits = append(c.limits, ls...) }
func (a Algorithm) apply(c *config)   { c.alg = a }
func (m FailureMode) apply(c *config) { c.mode = m }

// Name names a limiter: in the store's keys, in headers and in events. It is 1 to 64 letters, digits, "-", "_" and ".".
//
// Limiters of one name, algorithm and windows on one store share their counts, whatever their numbers, so that tiers
// of a plan do and a customer who upgrades keeps the counts. Without a name a limiter is called "default", and is told
// apart from other unnamed ones by its limits, so that none share by accident.
func Name(name string) Option {
	return option(func(c *config) { c.name, c.named = name, true })
}

// Timeout is the most that a decision waits for the store, from 1 ms to 1 minute; 50 ms by default. Then the failure
// mode decides.
func Timeout(d time.Duration) Option {
	return option(func(c *config) { c.timeout = d })
}

// Observe has f called with every event of the limiter, on the goroutine that caused it and before its decision
// returns: f must be quick and safe for concurrent use. The context is the one that Allow was given, over HTTP the
// request's. Peek and Reset are no decisions, and only tell whether the store fails. The library itself never logs. Given
// more than once, all are called.
func Observe(f func(context.Context, Event)) Option {
	return option(func(c *config) {
		before := c.observer
		switch {
		case f == nil:
			c.errs = append(c.errs, errors.New("core: Observe needs a function, got nil"))
			return
		case before == nil:
			c.observer = f
			return
		}
		c.observer = func(ctx context.Context, e Event) { before(ctx, e); f(ctx, e) }
	})
}

// FailureMode is who decides when the store does not. It is an [Option]; FailOpen is the default.
type FailureMode uint8

const (
	// FailOpen admits: an outage of the store is not one of the service.
	FailOpen FailureMode = iota
	// FailClosed refuses, for what must not be tried without a limit, such as a login. Over HTTP it is 503, not 429.
	FailClosed
	// FailLocal is to count in this process meanwhile. New refuses it in this version.
	FailLocal
)

// String is the mode's name.
func (m FailureMode) String() string {
	switch m {
	case FailOpen:
		return "FailOpen"
	case FailClosed:
		return "FailClosed"
	case FailLocal:
		return "FailLocal"
	}
	return fmt.Sprintf("FailureMode(%d)", uint8(m))
}

// newConfig applies opts and returns all that is wrong with them.
func newConfig(opts []Option) (config, error) {
	c := config{name: defaultName, timeout: defaultTimeout}
	var errs []error
	for i, o := range opts {
		if isNil(o) {
			errs = append(errs, fmt.Errorf("core: option %d is nil", i+1))
			continue
		}
		o.apply(&c)
	}
	errs = append(errs, c.errs...)
	if !validName(c.name) {
		errs = append(errs, fmt.Errorf(`core: name must be 1 to %d letters, digits, "-", "_" and ".", got %q`, maxName, c.name))
	}
	if c.alg > FixedWindow {
		errs = append(errs, fmt.Errorf("core: unknown algorithm %d", uint8(c.alg)))
	}
	switch {
	case c.mode == FailLocal:
		errs = append(errs, errors.New("core: FailLocal is not in this version; use FailOpen or FailClosed"))
	case c.mode > FailLocal:
		errs = append(errs, fmt.Errorf("core: unknown failure mode %d", uint8(c.mode)))
	}
	if c.timeout < minTimeout || c.timeout > maxTimeout {
		errs = append(errs, fmt.Errorf("core: timeout must be from %v to %v, got %v", minTimeout, maxTimeout, c.timeout))
	}
	limits, err := c.limits.check(c.alg)
	c.limits = limits
	errs = append(errs, err)
	return c, errors.Join(errs...)
}

// isNil reports whether v is nil, or holds a nil pointer or function.
func isNil(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Map:
		return r.IsNil()
	}
	return false
}

func validName(s string) bool {
	for _, b := range []byte(s) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '-', b == '_', b == '.':
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxName
}
