package adaptertest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// anyBody ends a response of which only the status and the headers of ours are told: the rest is the router's own.
const anyBody = "..."

// send sends the lines of a request to addr as they are, in their spelling, and returns the response in the form of a
// scenario, without Date and Connection. A connection that ends without a response is "aborted".
func send(addr string, request []string) ([]string, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return nil, err
	}
	var msg strings.Builder
	method, target, _ := strings.Cut(request[0], " ")
	fmt.Fprintf(&msg, "%s %s HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n", method, target)
	for _, h := range request[1:] {
		msg.WriteString(h + "\r\n")
	}
	msg.WriteString("\r\n")
	if _, err := io.WriteString(conn, msg.String()); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(conn)
	if len(raw) == 0 {
		return []string{"aborted"}, nil
	}
	if err != nil {
		return nil, err
	}
	return render(method, raw)
}

// render is a response as a scenario has it: its status, its header lines in the order of the wire, and its body.
func render(method string, raw []byte) ([]string, error) {
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), &http.Request{Method: method})
	if err != nil {
		return nil, fmt.Errorf("%w in %q", err, raw)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	head, _, _ := strings.Cut(string(raw), "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	lines[0] = fmt.Sprint(res.StatusCode)
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "Date: ") || strings.HasPrefix(l, "Connection: ")
	})
	if len(body) > 0 {
		lines = append(append(lines, ""), strings.Split(string(body), "\n")...)
	}
	return lines, nil
}

// same reports whether got is the response that want describes.
func same(want, got []string) bool {
	n := len(want) - 1
	if want[n] != anyBody {
		return slices.Equal(want, got)
	}
	end := slices.Index(got, "")
	if end < 0 {
		end = len(got)
	}
	return slices.Equal(want[:n], slices.DeleteFunc(slices.Clone(got[:end]), func(l string) bool {
		return strings.Contains(l, ": ") && !ours(l)
	}))
}

// ours reports whether a header line is one that only slidegate writes.
func ours(line string) bool {
	name, _, _ := strings.Cut(line, ":")
	return strings.HasPrefix(name, "X-Ratelimit") || strings.HasPrefix(name, "Ratelimit") || name == "Retry-After"
}
