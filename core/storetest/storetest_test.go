package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

func TestPlainestStorePasses(t *testing.T) {
	Run(t, func(testing.TB) Clocked { return Clocked{Store: newModel()} })
}

// ownClock counts by a clock of its own, set from outside, as a store behind a network does.
type ownClock struct {
	*model
	now time.Time
}

func (s *ownClock) Take(ctx context.Context, req core.Request) (time.Time, error) {
	req.Now = s.now.Truncate(time.Millisecond)
	return s.model.Take(ctx, req)
}

func TestStoreWithAClockOfItsOwnPasses(t *testing.T) {
	Run(t, func(testing.TB) Clocked {
		s := &ownClock{model: newModel()}
		return Clocked{Store: s, SetClock: func(now time.Time) { s.now = now }, MinWindow: 10 * time.Second}
	})
}

// realTime counts by the real clock, whatever Request.Now is.
type realTime struct{ *model }

func (s realTime) Take(ctx context.Context, req core.Request) (time.Time, error) {
	req.Now = time.Now().Truncate(time.Millisecond)
	return s.model.Take(ctx, req)
}

func TestStoreInRealTimePasses(t *testing.T) {
	RealTime(t, func(testing.TB) core.Store { return realTime{newModel()} })
}

func TestAwkwardKeysDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range awkwardKeys() {
		if seen[key] || key == "" {
			t.Errorf("key %.40q is empty or comes twice", key)
		}
		seen[key] = true
	}
}
