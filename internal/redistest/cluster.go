package redistest

import (
	"strconv"
	"strings"
	"testing"
)

// slots is how many slots a Cluster has.
const slots = 16384

// Cluster starts a Redis Cluster of three masters, each with a third of the slots.
func Cluster(t testing.TB) []*Node {
	t.Helper()
	nodes := make([]*Node, 3)
	for i := range nodes {
		nodes[i] = Server(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
		first, last := i*slots/len(nodes), (i+1)*slots/len(nodes)-1
		nodes[i].MustDo("CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(first), strconv.Itoa(last))
		nodes[i].MustDo("CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1)) // else they would have to settle them by themselves
	}
	for _, n := range nodes[1:] {
		nodes[0].MustDo("CLUSTER", "MEET", "127.0.0.1", n.Port())
	}
	for _, n := range nodes {
		n.wait("to see the whole cluster", func() bool {
			info := n.MustDo("CLUSTER", "INFO")
			return strings.Contains(info, "cluster_state:ok\r\n") && strings.Contains(info, "cluster_known_nodes:3\r\n")
		})
	}
	return nodes
}
