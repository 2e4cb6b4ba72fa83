package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/slidegate/slidegate/core"
)

// Store keeps counts in Redis. It is a [core.Store]: safe for concurrent use, and for as many limiters and processes as
// share its server. New or Open makes one.
type Store struct {
	prefix  string
	scripts scripts
	faults  []error // of the options
	route   route

	closed atomic.Bool
	close  func() error // closes the client that Open made, else nil
}

var _ core.Store = (*Store)(nil)

// Option is a choice about a [Store].
type Option func(*Store)

// Prefix begins the name of every key, before a ":"; without it that is "slidegate". It is 1 to 64 bytes of printable
// ASCII without spaces, braces and "|". Stores of different prefixes share no counts.
func Prefix(p string) Option {
	return func(s *Store) {
		s.prefix = p
		if err := checkPrefix(p); err != nil {
			s.faults = append(s.faults, err)
		}
	}
}

// New is a store on client, which stays the caller's: to configure, to use for other things, and to close. It must not
// be nil. A single server, Sentinel and Cluster are all fine.
//
// A *redis.Client, *redis.ClusterClient or *redis.Ring is asked in a way that keeps deadlines and never repeats what may
// have counted, whatever its own options. Unless those have ContextTimeoutEnabled, that takes a copy of the client on the
// same connections, to which go-redis does not pass on hooks: set it for hooks to see the store's commands, a Cluster's
// by OnNewNode. Another implementation is asked as it is, each time on a goroutine of its own, at most 64 at once, which
// a caller whose deadline passes leaves behind; its options say when they end.
//
// New does no I/O. What is wrong with opts is reported by [Store.Validate], and so by [core.New].
func New(client redis.UniversalClient, opts ...Option) *Store {
	s := &Store{prefix: defaultPrefix, scripts: scripts{counterScript, logScript}, route: newRoute(client)}
	for i, o := range opts {
		if o == nil {
			s.faults = append(s.faults, fmt.Errorf("redisstore: option %d is nil", i+1))
			continue
		}
		o(s)
	}
	return s
}

// Validate returns all that is wrong with the store's options. [core.New] calls it.
func (s *Store) Validate() error { return errors.Join(s.faults...) }

// errClosed is what a store that is closed answers.
var errClosed = errors.New("redisstore: the store is closed")

// Close ends the store: from then on it answers nothing but an error. It closes the client if [Open] made it; one that
// [New] was given is the caller's to close. Only the first call does anything.
func (s *Store) Close() error {
	if s.closed.Swap(true) || s.close == nil {
		return nil
	}
	return s.close()
}

// Take implements [core.Store]: one round trip to the server that has the key, whose clock it returns. A reset tells no
// time, so its is the zero time.
//
// Errors never contain the key. One after which the request may have been charged is a timeout or a lost connection.
func (s *Store) Take(ctx context.Context, req core.Request) (time.Time, error) {
	if s.closed.Load() {
		return time.Time{}, errClosed
	}
	// A client that hangs up has been counted, and must not look like a server that fails.
	ctx = context.WithoutCancel(ctx)
	if !req.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, req.Deadline)
		defer cancel()
	}
	key := s.keyName(req.Scope, req.Key)
	switch req.Op {
	case core.OpTake, core.OpPeek:
		reply, err := s.eval(ctx, s.scripts.of(req.Algorithm), key, appendGroup(nil, &req, 1))
		if err != nil {
			return time.Time{}, err
		}
		return readReply(reply, &req)
	case core.OpReset:
		_, err := s.call(ctx, key, []any{"unlink", key})
		return time.Time{}, err
	}
	return time.Time{}, core.ErrUnknownOp
}
