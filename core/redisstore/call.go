package redisstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"
)

// eval runs a script on the server of key and returns its reply. A server that does not know the script, because it has
// restarted, failed over or been flushed, is sent the whole text, which it then remembers.
func (s *Store) eval(ctx context.Context, sc *script, key string, args []any) (string, error) {
	command := append([]any{"evalsha", sc.sha, "1", key}, args...)
	reply, err := s.call(ctx, key, command)
	if err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
		command[0], command[1] = "eval", sc.text
		reply, err = s.call(ctx, key, command)
	}
	if err != nil {
		return "", err
	}
	text, ok := reply.(string)
	if !ok {
		return "", fmt.Errorf("redisstore: the script's reply is a %T, want a string", reply)
	}
	return text, nil
}

// call sends a command to the server of key, and once more if it certainly did not run and there is time.
func (s *Store) call(ctx context.Context, key string, command []any) (any, error) {
	reply, err := s.route.call(ctx, key, command)
	if err != nil && didNotRun(err) && ctx.Err() == nil {
		reply, err = s.route.call(ctx, key, command)
	}
	return reply, err
}

// didNotRun reports whether err proves that a server did nothing of a command, so that it may be sent again. A read
// timeout and a lost connection prove nothing.
func didNotRun(err error) bool {
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "dial" || errors.Is(err, redis.ErrPoolTimeout) {
		return true
	}
	return redis.IsLoadingError(err) || redis.IsMasterDownError(err) || redis.IsClusterDownError(err) ||
		redis.IsTryAgainError(err) || redis.IsMaxClientsError(err) || readOnly(err)
}

// readOnly reports whether a server refused a script's first write because it is a replica. Servers before 7 say so
// within the error of the script.
func readOnly(err error) bool {
	return redis.IsReadOnlyError(err) || strings.Contains(err.Error(), "-READONLY ")
}

// command is a command that go-redis sends at most once, whatever its client's options: a script that has been sent may
// have counted.
type command struct{ *redis.Cmd }

// NoRetry is read by go-redis before it repeats a command.
func (command) NoRetry() bool { return true }

// process sends args by way of a client of go-redis.
func process(ctx context.Context, c interface {
	Process(context.Context, redis.Cmder) error
}, args []any) (reply any, err error) {
	// go-redis panics at some replies that no server gives, such as a string of 2^63-1 bytes; it drops the connection then.
	// To a limiter that is one more way in which a store does not answer.
	defer func() {
		if p := recover(); p != nil {
			reply, err = nil, fmt.Errorf("redisstore: go-redis: %v", p)
		}
	}()
	cmd := command{redis.NewCmd(ctx, args...)}
	if err := c.Process(ctx, cmd); err != nil {
		return nil, err
	}
	return cmd.Val(), nil
}
