package core

import "time"

// now is the only place that asks the clock. All else is told the time.
func now() time.Time { return time.Now() }
