package redisstore

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// route takes a command to the server that has its key. It keeps the deadline of ctx, and sends the command at most
// once where it may have run.
type route interface {
	call(ctx context.Context, key string, args []any) (any, error)
}

// newRoute is the route by client, which must not be nil, nor a nil pointer.
func newRoute(client redis.UniversalClient) route {
	if v := reflect.ValueOf(client); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("redisstore: client is nil")
	}
	switch c := client.(type) {
	case *redis.Client:
		return single{bounded(c)}
	case *redis.ClusterClient:
		return &cluster{client: c, aside: newAside()}
	case *redis.Ring:
		return &ring{client: c}
	}
	return other{client, newAside()}
}

// bounded is c with a context's deadline applied to its sockets, which go-redis does only under an option that a
// limiter cannot ask of a client that is not its own: by default a server that stands still holds a caller for 5
// seconds.
//
// WithTimeout is there to give a client with other timeouts on the same connections, so its options are a copy, and the
// one place where this option is read. They are changed before the first use, and c's stay as they are.
func bounded(c *redis.Client) *redis.Client {
	opts := c.Options()
	if opts.ContextTimeoutEnabled {
		return c
	}
	b := c.WithTimeout(opts.ReadTimeout)
	b.Options().WriteTimeout = opts.WriteTimeout
	b.Options().ContextTimeoutEnabled = true
	return b
}

// single is one server, or the one that Sentinels call the master.
type single struct{ client *redis.Client }

func (s single) call(ctx context.Context, _ string, args []any) (any, error) {
	return process(ctx, s.client, args)
}

// ring spreads keys over servers that know nothing of each other.
type ring struct {
	client *redis.Ring
	nodes  nodes
}

func (r *ring) call(ctx context.Context, key string, args []any) (any, error) {
	shard, err := r.client.GetShardClientForKey(key)
	if err != nil {
		return nil, err
	}
	return process(ctx, r.nodes.bounded(shard), args)
}

// cluster is a Redis Cluster. It asks a key's master directly, since only a node's client can be bounded.
type cluster struct {
	client *redis.ClusterClient
	nodes  nodes
	loaded atomic.Bool // whether client knows which node has which slot
	aside  aside
}

func (c *cluster) call(ctx context.Context, key string, args []any) (any, error) {
	node, err := c.master(ctx, key)
	if err != nil {
		return nil, err
	}
	reply, err := process(ctx, c.nodes.bounded(node), args)
	if err == nil {
		return reply, nil
	}
	_, moved := redis.IsMovedError(err)
	_, ask := redis.IsAskError(err)
	if moved || ask {
		// Only the ClusterClient can reach a node that it does not know yet. It reloads its map of slots, too.
		return c.aside.call(ctx, func() (any, error) { return process(ctx, c.client, args) })
	}
	if !isReply(err) || readOnly(err) || redis.IsClusterDownError(err) {
		c.client.ReloadState(ctx) // in the background: the node may have been replaced
	}
	return nil, err
}

// master is the client of the node that has key. Only the first call, which loads the map of slots, takes time: that
// asks one node after another with the client's own timeouts, so it is done aside.
func (c *cluster) master(ctx context.Context, key string) (*redis.Client, error) {
	if c.loaded.Load() {
		return c.client.MasterForKey(ctx, key)
	}
	node, err := c.aside.call(ctx, func() (any, error) { return c.client.MasterForKey(ctx, key) })
	if err != nil {
		return nil, err
	}
	c.loaded.Store(true)
	return node.(*redis.Client), nil
}

// isReply reports whether err is what a server answered.
func isReply(err error) bool { return redis.HasErrorPrefix(err, "") }

// other is a client of a type that this package does not know.
type other struct {
	client redis.UniversalClient
	aside  aside
}

func (o other) call(ctx context.Context, _ string, args []any) (any, error) {
	return o.aside.call(ctx, func() (any, error) { return process(ctx, o.client, args) })
}

// nodes are the bounded clients of the nodes of a Cluster or a Ring. The zero value has none.
type nodes struct {
	mu sync.RWMutex
	of map[*redis.Client]*redis.Client
}

// maxNodes bounds what nodes hold of clients that their owner has long closed: a Cluster has at most 1,000 nodes.
const maxNodes = 1000

func (n *nodes) bounded(c *redis.Client) *redis.Client {
	n.mu.RLock()
	b := n.of[c]
	n.mu.RUnlock()
	if b != nil {
		return b
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if b := n.of[c]; b != nil {
		return b
	}
	if n.of == nil || len(n.of) >= maxNodes {
		n.of = make(map[*redis.Client]*redis.Client)
	}
	b = bounded(c)
	n.of[c] = b
	return b
}

// aside runs calls that may outlast their deadline on goroutines of their own, as many at once as it holds.
type aside chan struct{}

func newAside() aside { return make(aside, 64) }

// call returns what f does, or by ctx's deadline its error. Nobody else may use what f writes.
func (a aside) call(ctx context.Context, f func() (any, error)) (any, error) {
	select {
	case a <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	type outcome struct {
		reply any
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() { <-a }()
		reply, err := f()
		done <- outcome{reply, err}
	}()
	select {
	case o := <-done:
		return o.reply, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
