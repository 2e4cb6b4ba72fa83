package redistest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Watched is a master with a replica, and the Sentinels that watch them.
type Watched struct {
	Name            string // what the Sentinels call the master
	Master, Replica *Node
	Sentinels       []*Node
}

// Sentinel starts a master, a replica and n Sentinels, a majority of which can fail over.
func Sentinel(t testing.TB, n int) *Watched {
	t.Helper()
	w := &Watched{Name: "gate"}
	w.Master = Server(t)
	w.Replica = Server(t, "--replicaof", "127.0.0.1 "+w.Master.Port())
	w.Replica.wait("to follow its master", func() bool {
		return strings.Contains(w.Replica.MustDo("INFO", "replication"), "master_link_status:up\r\n")
	})
	for range n {
		w.Sentinels = append(w.Sentinels, w.sentinel(t, n/2+1))
	}
	all := "status=ok,address=" + w.Master.Addr + ",slaves=1,sentinels=" + strconv.Itoa(n)
	for _, s := range w.Sentinels {
		s.wait("to see all that it watches", func() bool { return strings.Contains(s.MustDo("INFO", "sentinel"), all) })
	}
	return w
}

// sentinel starts one Sentinel.
func (w *Watched) sentinel(t testing.TB, quorum int) *Node {
	t.Helper()
	const attempts = 5
	var n *Node
	for range attempts {
		port := freePort(t)
		file := filepath.Join(t.TempDir(), "sentinel.conf") // a Sentinel writes to it
		conf := fmt.Sprintf("bind 127.0.0.1\nport %[1]s\ndir %[2]s\n"+
			"sentinel monitor %[3]s 127.0.0.1 %[4]s %[5]d\n"+
			"sentinel down-after-milliseconds %[3]s 1000\nsentinel failover-timeout %[3]s 10000\n",
			port, filepath.Dir(file), w.Name, w.Master.Port(), quorum)
		if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
			t.Fatal(err)
		}
		if n = start(t, "127.0.0.1:"+port, file, "--sentinel"); n.listens() {
			return n
		}
	}
	t.Fatalf("redistest: redis-server --sentinel does not start:\n%s", n.output)
	return nil
}
