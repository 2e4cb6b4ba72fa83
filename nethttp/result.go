package nethttp

import (
	"context"

	"github.com/slidegate/slidegate/core"
)

type resultKey struct{}

// ResultFrom is the decision that let the request of ctx proceed, if its guard has the option [ShareResult]. Where
// several such guards stand behind one another, it is the innermost one's.
func ResultFrom(ctx context.Context) (res core.Result, ok bool) {
	res, ok = ctx.Value(resultKey{}).(core.Result)
	return res, ok
}
