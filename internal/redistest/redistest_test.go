package redistest

import (
	"net"
	"strings"
	"testing"
	"time"
)

func TestServerAnswers(t *testing.T) {
	t.Parallel()
	n := Server(t)
	if got := n.MustDo("PING"); got != "PONG" {
		t.Errorf("PING: got %q, want PONG", got)
	}
	n.MustDo("SET", "k", "v\r\nw")
	if got := n.MustDo("MGET", "k", "none"); got != "v\r\nw\n" {
		t.Errorf("MGET: got %q", got)
	}
	if _, err := n.Do("NONSENSE"); err == nil || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("an unknown command: got error %v", err)
	}
}

func TestAStoppedServerHoldsItsConnectionsAndAnswersNothing(t *testing.T) {
	t.Parallel()
	n := Server(t)
	conn, err := net.Dial("tcp", n.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	n.Stop()
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		t.Fatal(err)
	}
	reply := make([]byte, len("+PONG\r\n"))
	conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if _, err := conn.Read(reply); err == nil {
		t.Fatalf("got %q of a stopped server", reply)
	}
	n.Continue()
	conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := conn.Read(reply); err != nil || string(reply) != "+PONG\r\n" {
		t.Fatalf("after Continue: got %q, %v", reply, err)
	}
}

func TestAServerIsGoneAfterItsTest(t *testing.T) {
	var n *Node
	t.Run("test", func(t *testing.T) { n = Server(t) })
	if n == nil {
		t.Skip("there was no server")
	}
	if conn, err := net.Dial("tcp", n.Addr); err == nil {
		conn.Close()
		t.Error("it still listens")
	}
}

func TestClusterServesEverySlot(t *testing.T) {
	t.Parallel()
	for _, n := range Cluster(t) {
		if info := n.MustDo("CLUSTER", "INFO"); !strings.Contains(info, "cluster_slots_ok:16384\r\n") {
			t.Errorf("%s: got\n%s", n.Addr, info)
		}
	}
}

func TestSentinelsKnowTheMaster(t *testing.T) {
	t.Parallel()
	w := Sentinel(t, 1)
	want := "127.0.0.1\n" + w.Master.Port()
	if got := w.Sentinels[0].MustDo("SENTINEL", "GET-MASTER-ADDR-BY-NAME", w.Name); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
