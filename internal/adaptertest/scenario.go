package adaptertest

import (
	"fmt"
	"strings"
	"time"
)

// scenario is a text file of testdata/http, whose README describes the form.
type scenario struct {
	setup     string
	exchanges []exchange
}

// exchange is one request and the response that is due.
type exchange struct {
	line     int // of the request, in the file
	at       time.Duration
	broken   bool // the store fails
	request  []string
	response []string
}

func parse(text string) (scenario, error) {
	var s scenario
	var x exchange
	for i, line := range strings.Split(text+"\n", "\n") {
		word, rest, _ := strings.Cut(line, " ")
		var err error
		switch {
		case line == "" || word == "#":
			if x.request != nil && x.response == nil {
				err = fmt.Errorf("a request without a response")
			}
			if x.response != nil {
				s.exchanges = append(s.exchanges, x)
				x.request, x.response = nil, nil
			}
		case word == "setup":
			s.setup = rest
		case word == "at":
			x.at, err = time.ParseDuration(rest)
		case line == "store fails", line == "store answers":
			x.broken = line == "store fails"
		case word == ">":
			if x.request == nil {
				x.line = i + 1
			}
			x.request = append(x.request, rest)
		case word == "<" && x.request != nil:
			x.response = append(x.response, rest)
		default:
			err = fmt.Errorf("unknown: %q", line)
		}
		if err != nil {
			return s, fmt.Errorf("adaptertest: line %d: %w", i+1, err)
		}
	}
	if s.setup == "" || s.exchanges == nil {
		return s, fmt.Errorf("adaptertest: no setup, or no exchange")
	}
	return s, nil
}
