package redistest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Do sends one command to the server and returns the reply as text: a string as it is, an array as its elements, one a
// line. It speaks the protocol itself, so that tests of a client need not trust one.
func (n *Node) Do(args ...string) (string, error) {
	conn, err := net.DialTimeout("tcp", n.Addr, 5*time.Second)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	if _, err := io.WriteString(conn, b.String()); err != nil {
		return "", err
	}
	return readReply(bufio.NewReader(conn))
}

// MustDo is Do, and fails the test where Do returns an error.
func (n *Node) MustDo(args ...string) string {
	n.t.Helper()
	reply, err := n.Do(args...)
	if err != nil {
		n.t.Fatalf("redistest: %s: %s: %v", n.Addr, strings.Join(args, " "), err)
	}
	return reply
}

// readReply reads a reply of RESP 2.
func readReply(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, line := line[0], strings.TrimSuffix(line[1:], "\r\n")
	switch kind {
	case '-':
		return "", fmt.Errorf("the server says: %s", line)
	case '+', ':':
		return line, nil
	}
	size, err := strconv.Atoi(line)
	if err != nil || size < 0 {
		return "", err // nil: null is the empty string
	}
	if kind == '*' {
		elements := make([]string, size)
		for i := range elements {
			if elements[i], err = readReply(r); err != nil {
				return "", err
			}
		}
		return strings.Join(elements, "\n"), nil
	}
	body := make([]byte, size+len("\r\n"))
	if _, err := io.ReadFull(r, body); err != nil {
		return "", err
	}
	return string(body[:size]), nil
}
