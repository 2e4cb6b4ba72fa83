package redisstore_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/core/redisstore"
	"github.com/slidegate/slidegate/internal/redistest"
)

func TestOpenTakesGoodURLs(t *testing.T) {
	for _, url := range []string{
		"redis://localhost",
		"redis://localhost:6379/3",
		"redis://[::1]:6379",
		"redis://[::1]",
		"redis://:password@localhost:6379",
		"redis://user:p%40ss%2Fw%23rd@localhost:6379/0?pool_size=5&read_timeout=1s&max_retries=2",
		"rediss://user:password@redis.example:6380?skip_verify=true",
		"unix:///run/redis.sock?db=1",
		"unix://user:password@/run/redis.sock",
		"redis://localhost:7000?addr=localhost:7001&addr=localhost:7002",
		"rediss://localhost:7000?addr=localhost:7001",
		"redis+cluster://localhost:7000",
		"rediss+cluster://user:password@localhost:7000/?addr=localhost:7001",
		"redis://localhost:26379?master_name=gate",
		"redis://localhost:26379/1?master_name=gate&addr=localhost:26380&username=u&password=p",
	} {
		t.Run(url, func(t *testing.T) {
			store, err := redisstore.Open(url)
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// secret is in many a bad URL, and must be in no error.
const secret = "hunter2"

func TestOpenNamesWhatIsWrongButNeverThePassword(t *testing.T) {
	for _, c := range []struct{ name, url, want string }{
		{"nothing", "", "scheme"},
		{"no scheme", "localhost:6379", "scheme"},
		{"another scheme", "http://u:hunter2@localhost", `"http"`},
		{"an unknown cluster", "unix+cluster:///run/redis.sock", "scheme"},
		{"no slashes", "redis:localhost:6379", `"//"`},
		{"a port that is no number", "redis://u:hunter2@localhost:port", "localhost:port"},
		{"a port too large", "redis://u:hunter2@localhost:70000", "70000"},
		{"a port of addr", "redis://u:hunter2@localhost:7000?addr=localhost:0", `"0"`},
		{"an addr without a port", "redis://u:hunter2@localhost:7000?addr=localhost", "localhost"},
		{"a database that is no number", "redis://u:hunter2@localhost/one", `"one"`},
		{"two databases", "redis://u:hunter2@localhost/1/2", "/1/2"},
		{"an unknown parameter", "redis://u:hunter2@localhost?colour=blue", "colour"},
		{"a bad duration", "redis://u:hunter2@localhost?read_timeout=soon", "soon"},
		{"a bad number", "redis://u:hunter2@localhost?pool_size=many", "many"},
		{"a huge pool", "redis://u:hunter2@localhost?pool_size=99999999999", "pool_size"},
		{"a negative pool", "redis://u:hunter2@localhost?pool_size=-5", "-5"},
		{"an unknown protocol", "redis://u:hunter2@localhost?protocol=9", `"9"`},
		{"a malformed parameter", "redis://u:hunter2@localhost?db=%zz", "percent-encoded"},
		{"a socket without a path", "unix://u:hunter2@", "socket"},
		{"a socket with a host", "unix://run/redis.sock", "three slashes"},
		{"a cluster by sockets", "unix:///run/redis.sock?addr=localhost:1", "sockets"},
		{"a cluster's database", "redis+cluster://u:hunter2@localhost:7000/1", `"/1"`},
		{"a cluster's replicas", "redis+cluster://localhost:7000?read_only=true", "read_only"},
		{"a cluster and a sentinel", "redis+cluster://localhost:7000?master_name=gate", "master_name"},
		{"an empty master name", "redis://localhost?master_name=", "master_name"},
		{"a sentinel by sockets", "unix:///run/redis.sock?master_name=gate", "scheme"},
		{"a sentinel's replicas", "redis://localhost?master_name=gate&route_randomly=1", "route_randomly"},
		{"a slash in the password", "redis://u:12/hunter2@localhost", "percent-encoded"},
		{"a hash in the password", "redis://u:hunter2#1@localhost", "percent-encoded"},
		{"a hash after digits", "redis://u:12#hunter2@localhost", "percent-encoded"},
		{"a question mark in the password", "redis://u:12?hunter2@localhost", "percent-encoded"},
		{"a percent sign in the password", "redis://u:hunter2%zz@localhost", "percent-encoded"},
		{"an at sign in the password", "redis://u:hunter2@hunter2@localhost:port", "localhost:port"},
		{"a space in the password", "redis://u:hunter 2hunter2@localhost", "percent-encoded"},
		{"a password without a host", "redis://:hunter2", "percent-encoded"},
		{"a password as a parameter", "redis://localhost?master_name=gate&password=hunter2&db=x", "redis://localhost"},
		{"an at sign in such a password", "redis://localhost?master_name=gate&password=a@hunter2", "percent-encoded"},
		{"an ampersand in such a password", "redis://localhost?master_name=gate&password=a&hunter2", "unknown"},
		{"a parameter of the same name", "redis://u:hunter2@localhost?password=hunter2", "unexpected option: password"},
		{"not a URL", "redis://u:hunter2@local host\x00:1", "not a URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, err := redisstore.Open(c.url)
			if err == nil {
				store.Close()
				t.Fatal("got no error")
			}
			if !strings.HasPrefix(err.Error(), "redisstore: open ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %q, want one with %q", err, c.want)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if strings.Contains(e.Error(), secret) {
					t.Errorf("the error %q has the password", e)
				}
			}
		})
	}
}

func TestOpenReportsBadOptions(t *testing.T) {
	_, err := redisstore.Open("redis://localhost", redisstore.Prefix("{a}"), redisstore.Prefix(""), nil)
	for _, want := range []string{`"{a}"`, `""`, "option 3 is nil"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %s", err, want)
		}
	}
}

func TestNewsBadOptionsAreReportedByALimiter(t *testing.T) {
	client := dial(t, &redistest.Node{Addr: "127.0.0.1:1"})
	_, err := core.New(redisstore.New(client, redisstore.Prefix("a b")), core.PerMinute(0))
	for _, want := range []string{`"a b"`, "requests must be positive"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %s", err, want)
		}
	}
}

func TestAStoreThatIsClosedSaysSo(t *testing.T) {
	m := miniredis.RunT(t)
	opened, err := redisstore.Open("redis://" + m.Addr())
	if err != nil {
		t.Fatal(err)
	}
	client := dial(t, &redistest.Node{Addr: m.Addr()})
	for name, store := range map[string]*redisstore.Store{"of Open": opened, "of New": redisstore.New(client)} {
		limiter := core.MustNew(store, core.PerMinute(1), core.Timeout(soon))
		if _, err := limiter.Allow(context.Background(), name); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for range 2 {
			if err := store.Close(); err != nil {
				t.Errorf("%s: Close: %v", name, err)
			}
		}
		if _, err := limiter.Allow(context.Background(), name); err == nil || !strings.Contains(err.Error(), "the store is closed") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	if err := client.Ping(context.Background()).Err(); err != nil {
		t.Errorf("Close has closed the caller's client: %v", err)
	}
	for end := time.Now().Add(soon); m.CurrentConnectionCount() != 1; {
		if time.Now().After(end) {
			t.Fatalf("%d clients are connected, want the caller's alone", m.CurrentConnectionCount())
		}
		runtime.Gosched()
	}
}

func TestNilClientPanics(t *testing.T) {
	defer func() {
		if r := recover(); r == nil {
			t.Error("New(nil) did not panic")
		}
	}()
	redisstore.New(nil)
}

func TestOpenOfAServer(t *testing.T) {
	t.Parallel()
	server := redistest.Server(t, "--requirepass", secret)
	works(t, "redis://:"+secret+"@"+server.Addr+"/2")
	store, err := redisstore.Open("redis://:wrong@" + server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	_, err = core.MustNew(store, core.PerMinute(1), core.Timeout(soon)).Allow(context.Background(), "k")
	if err == nil || !strings.Contains(err.Error(), "WRONGPASS") {
		t.Errorf("with a wrong password: got error %v", err)
	}
}

// The access rule of the package's documentation is enough.
func TestOpenOfAUserWhoMayDoLittle(t *testing.T) {
	t.Parallel()
	const (
		ours    = "+evalsha +eval +time +get +set +setrange +pexpire +unlink"
		connect = "+hello +client +ping +select"
	)
	server := redistest.Server(t)
	rule := "ACL SETUSER gate on >" + secret + " ~slidegate:* -@all " + ours + " " + connect
	server.MustDo(strings.Fields(rule)...)
	works(t, "redis://gate:"+secret+"@"+server.Addr+"/1")
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{ours, "+hello +client +ping", "+select"} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("doc.go does not say %q", want)
		}
	}
}

func TestOpenOfASocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "slidegate") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	redistest.Server(t, "--unixsocket", socket)
	works(t, "unix://"+socket)
}

func TestOpenOfACluster(t *testing.T) {
	t.Parallel()
	nodes := redistest.Cluster(t)
	works(t, "redis+cluster://"+nodes[0].Addr)
	works(t, "redis://"+nodes[0].Addr+"?addr="+nodes[1].Addr)
}

func TestOpenOfSentinels(t *testing.T) {
	t.Parallel()
	w := redistest.Sentinel(t, 1)
	works(t, "redis://"+w.Sentinels[0].Addr+"?master_name="+w.Name)
}

func TestOpenByTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	server := redistest.TLS(t, cert, key)
	works(t, "rediss://"+server.Addr+"?skip_verify=true&dial_timeout=30s&read_timeout=30s")
	store, err := redisstore.Open("rediss://" + server.Addr + "?dial_timeout=30s&read_timeout=30s")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	_, err = core.MustNew(store, core.PerMinute(1), core.Timeout(soon)).Allow(context.Background(), "k")
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("of an unknown authority: got error %v", err)
	}
}

// works checks that a store from url counts, each key by itself.
func works(t *testing.T, url string) {
	t.Helper()
	store, err := redisstore.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	limiter := core.MustNew(store, core.PerDay(2), core.FixedWindow, core.Timeout(soon))
	log := core.MustNew(store, core.PerDay(2), core.SlidingLog, core.Timeout(soon))
	for range 2 {
		if res, err := log.Allow(context.Background(), "log"); err != nil || !res.Allowed {
			t.Fatalf("a log: got %v, %v", res, err)
		}
	}
	if err := log.Reset(context.Background(), "log"); err != nil {
		t.Error(err)
	}
	for _, key := range []string{"a", "b", "c", "d", "{e}", "f g"} {
		for want := int64(1); want >= 0; want-- {
			res, err := limiter.Allow(context.Background(), key)
			if err != nil || !res.Allowed || res.Remaining != want {
				t.Fatalf("%s: got %v, %v; want %d left", key, res, err, want)
			}
		}
		if err := limiter.Reset(context.Background(), key); err != nil {
			t.Error(err)
		}
		if res, err := limiter.Peek(context.Background(), key); err != nil || res.Remaining != 2 {
			t.Errorf("%s: after a Reset: got %v, %v; want 2 left", key, res, err)
		}
	}
}

// certificate makes a certificate for 127.0.0.1 and its key, and returns their files.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", pkcs8)
}
