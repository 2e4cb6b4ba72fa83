package redisstore

import (
	"crypto/sha1"
	_ "embed"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/slidegate/slidegate/core"
)

// script is a Lua script and the name by which servers remember it. Its file says what goes in and comes out.
type script struct{ text, sha string }

var (
	//go:embed counter.lua
	counterText string
	//go:embed log.lua
	logText string

	counterScript = newScript(counterText)
	logScript     = newScript(logText)
)

func newScript(text string) *script {
	sum := sha1.Sum([]byte(text)) // Redis's choice, which nothing secret or trusted depends on
	return &script{text: text, sha: hex.EncodeToString(sum[:])}
}

// scripts are the store's, so that a test can give it ones with a clock of its own.
type scripts struct{ counter, log *script }

func (s scripts) of(a core.Algorithm) *script {
	if a == core.SlidingLog {
		return s.log
	}
	return s.counter
}

// appendGroup appends to args what the scripts are told of count keys with the operation, limits and cost of req.
func appendGroup(args []any, req *core.Request, count int) []any {
	args = append(args, strconv.Itoa(count), flag(req.Op == core.OpTake))
	if req.Algorithm != core.SlidingLog {
		args = append(args, flag(req.Algorithm == core.SlidingWindow))
	}
	args = append(args, strconv.FormatInt(req.Cost, 10), strconv.Itoa(len(req.Limits)))
	for _, l := range req.Limits {
		args = append(args, strconv.FormatInt(l.Requests, 10), strconv.FormatInt(int64(l.Window/time.Millisecond), 10))
	}
	return args
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
