package core

import (
	"fmt"

	"github.com/slidegate/slidegate/internal/window"
)

// Algorithm is how a limiter counts. It is an [Option]; SlidingWindow is the default.
type Algorithm uint8

const (
	// SlidingWindow keeps two counters and weights the previous window by the share of it that is still within the last
	// Window. In any interval of length d it admits at most L*(1 + d/W).
	SlidingWindow Algorithm = iota
	// SlidingLog keeps every charge of the last Window and never admits more than L in any Window. It takes limits of up
	// to 10,000, and memory in proportion.
	SlidingLog
	// FixedWindow starts each window with a whole quota, aligned to the clock: a quota a day, by UTC. Across the
	// boundary of two windows it admits up to 2L in an interval of any length up to W.
	FixedWindow
)

// String is the algorithm's name.
func (a Algorithm) String() string {
	switch a {
	case SlidingWindow:
		return "SlidingWindow"
	case SlidingLog:
		return "SlidingLog"
	case FixedWindow:
		return "FixedWindow"
	}
	return fmt.Sprintf("Algorithm(%d)", uint8(a))
}

// kind is a in the words of the arithmetic; a test keeps their numbers equal.
func (a Algorithm) kind() window.Kind { return window.Kind(a) }

// letter tells the scopes of different algorithms apart.
func (a Algorithm) letter() byte {
	return [...]byte{SlidingWindow: 'w', SlidingLog: 'l', FixedWindow: 'f'}[a]
}
