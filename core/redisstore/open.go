package redisstore

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Timeouts of the clients that Open makes. A decision's own deadline, 50 ms by default, ends its wait long before them:
// they end what nobody waits for any more.
const (
	dialTimeout = time.Second
	ioTimeout   = time.Second
)

// Open is a store on a client of its own, made from a URL. [Store.Close] closes the client.
//
//	redis://user:password@host:6379/0              one server
//	rediss://host:6380                             by TLS
//	unix:///run/redis.sock?db=0                    by a socket
//	redis://host:7000?addr=host:7001&addr=…        a Cluster: several nodes to ask for the others
//	redis+cluster://host:7000                      a Cluster, also rediss+cluster://: one node is enough
//	redis://host:26379?master_name=gate&addr=…     Sentinels; the user and password of the servers they watch are
//	                                               the parameters username and password
//
// Other parameters are those of go-redis's ParseURL, ParseClusterURL and ParseFailoverURL: pool_size, client_name,
// skip_verify and so on. Unless they say otherwise, nothing is retried, one attempt is made to connect, and every wait
// ends after 1 second, so that a core.Timeout above that needs read_timeout too. In a user or password, a character
// other than letters, digits and -._~ must be percent-encoded.
//
// Open does no I/O: a program starts while Redis is down. Its error names the URL and what is wrong with it, but never
// its user and password.
func Open(rawURL string, opts ...Option) (*Store, error) {
	client, err := open(rawURL)
	if err != nil {
		return nil, fmt.Errorf("redisstore: open %q: %w", redact(rawURL), err)
	}
	s := New(client, opts...)
	if err := s.Validate(); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	s.close = client.Close
	return s, nil
}

// open makes the client. Its errors may quote parameters and addresses, but nothing of a user or password.
func open(rawURL string) (redis.UniversalClient, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errors.New("not a URL: is its port a number, and its password percent-encoded?") // err quotes the password
	}
	// A password with a bare "/", "?" or "#" can leave a URL behind that parses.
	if strings.Contains(u.EscapedPath()+u.RawQuery, "@") || u.Fragment != "" {
		return nil, errors.New(`"@" or "#" after the host: is the password percent-encoded?`)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errors.New("malformed parameters: are they percent-encoded?")
	}
	if err := checkNumbers(u, query); err != nil {
		return nil, err
	}
	scheme, isCluster := strings.CutSuffix(u.Scheme, "+cluster")
	switch {
	case scheme != "redis" && scheme != "rediss" && u.Scheme != "unix":
		return nil, fmt.Errorf(`scheme must be redis, rediss, redis+cluster, rediss+cluster or unix, got %q`, u.Scheme)
	case u.Opaque != "":
		return nil, errors.New(`want "//" after the scheme`)
	case isCluster && query.Has("master_name"):
		return nil, errors.New("either a Cluster or master_name, which is for Sentinel")
	case query.Has("master_name"):
		return openSentinel(u, query)
	case isCluster, query.Has("addr"):
		u.Scheme = scheme
		return openCluster(u, query)
	}
	return openServer(u, query)
}

func openServer(u *url.URL, query url.Values) (redis.UniversalClient, error) {
	if u.Scheme == "unix" && u.Host != "" {
		return nil, errors.New("want three slashes before the path of a socket, as in unix:///run/redis.sock")
	}
	o, err := redis.ParseURL(u.String())
	if err != nil {
		return nil, err
	}
	limiter(query, &o.MaxRetries, &o.DialerRetries, &o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
	o.ContextTimeoutEnabled = true
	return redis.NewClient(o), nil
}

func openCluster(u *url.URL, query url.Values) (redis.UniversalClient, error) {
	if u.Scheme == "unix" {
		return nil, errors.New("a Cluster has no sockets")
	}
	if strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("a Cluster has one database only, got path %q", u.Path)
	}
	if err := without(query, "read_only", "route_by_latency", "route_randomly"); err != nil {
		return nil, err
	}
	o, err := redis.ParseClusterURL(u.String())
	if err != nil {
		return nil, err
	}
	limiter(query, &o.MaxRetries, &o.DialerRetries, &o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
	o.ContextTimeoutEnabled = true
	return redis.NewClusterClient(o), nil
}

func openSentinel(u *url.URL, query url.Values) (redis.UniversalClient, error) {
	if query.Get("master_name") == "" {
		return nil, errors.New("master_name is empty")
	}
	if err := without(query, "replica_only", "route_by_latency", "route_randomly"); err != nil {
		return nil, err
	}
	o, err := redis.ParseFailoverURL(u.String())
	if err != nil && query.Has("password") {
		return nil, errors.New("a parameter is unknown or malformed") // which one may be what follows an "&" in the password
	}
	if err != nil {
		return nil, err
	}
	limiter(query, &o.MaxRetries, &o.DialerRetries, &o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
	o.ContextTimeoutEnabled = true
	return redis.NewFailoverClient(o), nil
}

// limiter sets what the URL does not: zero is what go-redis's parsers leave.
func limiter(query url.Values, retries, dials *int, dial, read, write, pool *time.Duration) {
	if !query.Has("max_retries") {
		*retries = -1
	}
	if *dials == 0 {
		*dials = 1
	}
	for _, d := range [...]struct {
		timeout *time.Duration
		unset   time.Duration
	}{{dial, dialTimeout}, {read, ioTimeout}, {write, ioTimeout}, {pool, ioTimeout}} {
		if *d.timeout == 0 {
			*d.timeout = d.unset
		}
	}
}

// without returns an error if query has one of the parameters by which a client reads from replicas: a limiter writes.
func without(query url.Values, names ...string) error {
	for _, name := range names {
		if query.Has(name) {
			return fmt.Errorf("parameter %s: counts are only kept by masters", name)
		}
	}
	return nil
}

// maxSize is the largest number of connections or bytes that a URL may ask for.
const maxSize = 1 << 20

// checkNumbers refuses what go-redis takes and then fails by: it panics at some sizes of a pool.
func checkNumbers(u *url.URL, query url.Values) error {
	for name, values := range query {
		least := 0
		switch {
		case name == "pipeline_pool_size":
			least = -1 // none
		case strings.HasSuffix(name, "_size"), strings.HasSuffix(name, "_conns"), name == "max_concurrent_dials":
		case name == "protocol":
			if p := values[len(values)-1]; p != "2" && p != "3" {
				return fmt.Errorf("protocol must be 2 or 3, got %q", p)
			}
			continue
		default:
			continue
		}
		for _, v := range values {
			if n, err := strconv.Atoi(v); err == nil && (n < least || n > maxSize) {
				return fmt.Errorf("%s must be from %d to %d, got %d", name, least, maxSize, n)
			}
		}
	}
	ports := []string{u.Port()}
	for _, addr := range query["addr"] {
		ports = append(ports, addr[strings.LastIndexByte(addr, ':')+1:])
	}
	if i := slices.IndexFunc(ports, badPort); i >= 0 {
		return fmt.Errorf("port must be from 1 to 65535, got %q", ports[i])
	}
	return nil
}

// badPort reports whether s, if it is not empty, is no port.
func badPort(s string) bool {
	n, err := strconv.Atoi(s)
	return s != "" && (err != nil || n < 1 || n > 65535)
}

// redact is a URL, well-formed or not, with "…" for all that can be of a user or password.
func redact(rawURL string) string {
	scheme, rest, ok := strings.Cut(rawURL, "://")
	if !ok {
		scheme, rest = "", rawURL
	} else {
		scheme += "://"
	}
	// From a password among the parameters on, anything may follow.
	var tail string
	if i := strings.Index(rest, "password="); i > 0 && strings.IndexByte("?&", rest[i-1]) >= 0 {
		if strings.Contains(rest[i:], "@") {
			return scheme + "…" // or it is within a password before the host
		}
		rest, tail = rest[:i], "password=…"
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		return scheme + "…" + rest[i:] + tail
	}
	// Without an "@", what stands where the port should may be a password without its host.
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	if i := strings.LastIndexByte(rest[:end], ':'); i >= 0 && badPort(rest[i+1:end]) && !strings.HasSuffix(rest[:end], "]") {
		rest = rest[:i+1] + "…" + rest[end:]
	}
	return scheme + rest + tail
}
