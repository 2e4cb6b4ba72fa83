// Package redistest starts real Redis servers for tests: one, a Cluster, or a master that Sentinels watch.
//
// The servers are the redis-server of the PATH, on free loopback ports, without persistence, in a directory of the
// test's own; they are killed when the test ends, and also when its process does. Where there is no redis-server the
// test is skipped, unless the environment variable SLIDEGATE_REQUIRE_REDIS is set: then it fails, so that CI cannot
// skip it.
//
// Every function may be called by parallel tests. Each returns once what it has started answers.
package redistest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// require is the variable that turns skips into failures.
const require = "SLIDEGATE_REQUIRE_REDIS"

// Node is a running redis-server.
type Node struct {
	Addr string // host:port

	t       testing.TB
	process *os.Process
	output  *bytes.Buffer // to be read once exited is closed
	exited  chan struct{}
}

// Server starts a server. The arguments are options as redis-server takes them, after the package's own, which they
// override.
func Server(t testing.TB, args ...string) *Node {
	t.Helper()
	return server(t, func(port string) []string { return append([]string{"--port", port}, args...) })
}

// TLS starts a server that speaks TLS only, with a certificate and its key, both in PEM. It asks clients for none.
func TLS(t testing.TB, certFile, keyFile string) *Node {
	t.Helper()
	return server(t, func(port string) []string {
		return []string{
			"--port", "0", "--tls-port", port, "--tls-cert-file", certFile, "--tls-key-file", keyFile,
			"--tls-ca-cert-file", certFile, "--tls-auth-clients", "no",
		}
	})
}

func server(t testing.TB, args func(port string) []string) *Node {
	t.Helper()
	const attempts = 5 // another process may take the port that was free
	var n *Node
	for range attempts {
		port := freePort(t)
		own := []string{"--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir()}
		if n = start(t, "127.0.0.1:"+port, append(own, args(port)...)...); n.listens() {
			return n
		}
	}
	t.Fatalf("redistest: redis-server does not start:\n%s", n.output)
	return nil
}

// start runs redis-server with args, which have it listen on addr, and kills it when t ends.
func start(t testing.TB, addr string, args ...string) *Node {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		const needs = "needs redis-server in the PATH (Debian: apt-get install redis-server)"
		if os.Getenv(require) != "" {
			t.Fatalf("%s is set: %s", require, needs)
		}
		t.Skip(needs)
	}
	n := &Node{Addr: addr, t: t, output: new(bytes.Buffer), exited: make(chan struct{})}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = n.output, n.output
	cmd.SysProcAttr = dieWithParent()
	started := make(chan error)
	go func() {
		// The signal that dieWithParent asks for comes when the thread that started the child ends, so that thread is
		// kept until the child has gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(n.exited)
	}()
	if err := <-started; err != nil {
		t.Fatalf("redistest: %v", err)
	}
	n.process = cmd.Process
	t.Cleanup(n.Kill)
	return n
}

// listens waits until the server serves, or reports that it has ended instead.
func (n *Node) listens() bool {
	n.t.Helper()
	alive := true
	n.wait("to serve", func() bool {
		select {
		case <-n.exited:
			alive = false
			return true
		default:
			return serves(n.Addr)
		}
	})
	return alive
}

// serves reports whether a server at addr reads what it is sent: the port is open some time before that. It may answer,
// or hang up on one who speaks no TLS.
func serves(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return false
	}
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	_, err = conn.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// Port is the port of n.Addr.
func (n *Node) Port() string {
	_, port, _ := net.SplitHostPort(n.Addr)
	return port
}

// Kill ends the server at once, as a crash does, and waits until it is gone.
func (n *Node) Kill() {
	_ = n.process.Kill() // it may have ended
	<-n.exited
}

// Stop has the server stand still until Continue: it holds its connections, and answers nothing.
func (n *Node) Stop() { n.signal(syscall.SIGSTOP) }

// Continue undoes Stop.
func (n *Node) Continue() { n.signal(syscall.SIGCONT) }

func (n *Node) signal(s syscall.Signal) {
	n.t.Helper()
	if err := n.process.Signal(s); err != nil {
		n.t.Fatalf("redistest: %v: %v", s, err)
	}
}

// wait returns when done does, and fails the test if that is not soon.
func (n *Node) wait(what string, done func() bool) {
	n.t.Helper()
	const patience = 30 * time.Second
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !done(); <-tick.C {
		if time.Now().After(deadline) {
			n.t.Fatalf("redistest: %s has taken more than %v %s", n.Addr, patience, what)
		}
	}
}

// freePort is a port that is free, as is the one 10,000 above it, by which a Cluster's nodes talk.
func freePort(t testing.TB) string {
	t.Helper()
	for {
		port, release := listen(t, 0)
		bus, releaseBus := listen(t, port+10_000)
		release()
		releaseBus()
		if bus != 0 {
			return strconv.Itoa(port)
		}
	}
}

// listen listens on a port, 0 for any, until release is called. It returns 0 if it cannot.
func listen(t testing.TB, port int) (got int, release func()) {
	t.Helper()
	if port > 65535 {
		return 0, func() {}
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		if port == 0 {
			t.Fatalf("redistest: %v", err)
		}
		return 0, func() {}
	}
	return l.Addr().(*net.TCPAddr).Port, func() { l.Close() }
}
