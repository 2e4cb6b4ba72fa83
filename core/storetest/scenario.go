package storetest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slidegate/slidegate/core"
	"github.com/slidegate/slidegate/testdata/window"
)

// scenario is what a client of one limiter lives through. testdata/window/README.md describes its text.
type scenario struct {
	name   string
	alg    core.Algorithm
	limits core.Limits // of its first limits line, sorted by window
	steps  []step
}

// step is one line of a scenario. Its kind is limits, take, peek or reset.
type step struct {
	where, text string // file:line, and the line
	kind        string
	limits      core.Limits // of a limits line

	at    time.Duration // from the scenario's time 0
	to    time.Duration // of a from line, else at
	every time.Duration // of a from line
	key   string
	cost  int64

	allow bool
	count int // of a from line: how many are admitted
	facts map[string]string
}

// readScenarios reads all files of testdata/window.
func readScenarios() ([]scenario, error) {
	files, err := fs.Glob(window.Files, "*.txt")
	if err != nil {
		return nil, err
	}
	var all []scenario
	for _, file := range files {
		text, err := window.Files.ReadFile(file)
		if err != nil {
			return nil, err
		}
		some, err := parseScenarios(file, text)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// parseScenarios reads one file. Its error says file:line first.
func parseScenarios(file string, text []byte) ([]scenario, error) {
	var all []scenario
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if words[0] == "scenario" {
			name := strings.TrimSuffix(file, ".txt") + "/" + strings.Join(words[1:], " ")
			all = append(all, scenario{name: name})
			continue
		}
		err := fmt.Errorf("%q comes before the first scenario line", words[0])
		if len(all) > 0 {
			err = all[len(all)-1].parse(fmt.Sprintf("%s:%d", file, n), strings.TrimSpace(line), words)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	for _, s := range all {
		if len(s.steps) == 0 {
			return nil, fmt.Errorf("%s: scenario %q has no steps", file, s.name)
		}
	}
	return all, lines.Err()
}

// parse adds one line to s.
func (s *scenario) parse(where, text string, words []string) (err error) {
	st := step{where: where, text: text, kind: words[0]}
	switch words[0] {
	case "algorithm":
		if s.limits != nil || len(words) != 2 {
			return fmt.Errorf("%q: want one algorithm, before the limits", text)
		}
		i := slices.IndexFunc(algorithms, func(a core.Algorithm) bool { return a.String() == words[1] })
		if i < 0 {
			return fmt.Errorf("algorithm %q: want one of %v", words[1], algorithms)
		}
		s.alg = algorithms[i]
		return nil
	case "limits":
		return s.parseLimits(st, words[1:])
	case "at", "from":
		if s.limits == nil {
			return fmt.Errorf("%q comes before the scenario's limits", text)
		}
		asked, answer, told := strings.Cut(text, "->")
		if err := st.parseAsked(strings.Fields(asked)); err != nil {
			return err
		}
		if told != (st.kind != "reset") {
			return fmt.Errorf("%q: take and peek want -> and an answer, reset has none", text)
		}
		if told {
			err = st.parseAnswer(strings.Fields(answer))
		}
		s.steps = append(s.steps, st)
		return err
	}
	return fmt.Errorf("%q: want scenario, algorithm, limits, at or from", words[0])
}

func (s *scenario) parseLimits(st step, words []string) error {
	for _, word := range words {
		l, err := core.ParseLimit(word)
		if err != nil {
			return err
		}
		st.limits = append(st.limits, l)
	}
	if len(st.limits) == 0 {
		return fmt.Errorf("limits: want at least one, such as 10/1s")
	}
	slices.SortFunc(st.limits, byWindow)
	if s.limits == nil {
		s.limits = st.limits
	}
	if !slices.EqualFunc(s.limits, st.limits, func(a, b core.Limit) bool { return a.Window == b.Window }) {
		return fmt.Errorf("limits %v: a scenario keeps its windows, those of %v", st.limits, s.limits)
	}
	s.steps = append(s.steps, st)
	return nil
}

// parseAsked reads "at 1s take key 2" or "from 1s to 2s every 1ms take key 2".
func (st *step) parseAsked(words []string) error {
	form := []string{"at", ""}
	times := []*time.Duration{&st.at}
	if words[0] == "from" {
		form = []string{"from", "", "to", "", "every", ""}
		times = []*time.Duration{&st.at, &st.to, &st.every}
	}
	if len(words) < len(form)+2 {
		return fmt.Errorf("%q: want a time, an operation and a key", st.text)
	}
	for i, word := range form {
		if word != "" && words[i] != word {
			return fmt.Errorf("%q: want %q, got %q", st.text, word, words[i])
		} else if word == "" {
			d, err := parseDuration(words[i])
			if err != nil {
				return err
			}
			*times[i/2] = d
		}
	}
	if words[0] == "from" && (st.every <= 0 || st.to < st.at) {
		return fmt.Errorf("%q: want times that go forward", st.text)
	}
	words = words[len(form):]
	st.kind, st.key, st.cost = words[0], words[1], 1
	switch {
	case st.kind != "take" && st.kind != "peek" && st.kind != "reset", st.every > 0 && st.kind != "take":
		return fmt.Errorf("operation %q: want take, peek or reset, and after from only take", st.kind)
	case len(words) > 3, len(words) == 3 && st.kind != "take":
		return fmt.Errorf("%q: %q is too much", st.text, words[len(words)-1])
	case len(words) == 3:
		var err error
		if st.cost, err = strconv.ParseInt(words[2], 10, 64); err != nil {
			return fmt.Errorf("cost %q: want a whole number", words[2])
		}
	}
	return nil
}

// parseAnswer reads "allow remaining 3 limit 10/1s", or "allow 27" after a from line.
func (st *step) parseAnswer(words []string) error {
	if len(words) == 0 || words[0] != "allow" && words[0] != "deny" {
		return fmt.Errorf("%q: want allow or deny after ->", st.text)
	}
	st.allow = words[0] == "allow"
	words = words[1:]
	if st.every > 0 {
		if len(words) != 1 || !st.allow {
			return fmt.Errorf("%q: want allow and how many, after from", st.text)
		}
		var err error
		if st.count, err = strconv.Atoi(words[0]); err != nil {
			return fmt.Errorf("count %q: want a whole number", words[0])
		}
		return nil
	}
	st.facts = map[string]string{}
	if len(words)%2 != 0 {
		return fmt.Errorf("%q: want pairs of a fact's name and value", st.text)
	}
	for i := 0; i < len(words); i += 2 {
		fact := words[i]
		value, err := canonical(fact, words[i+1])
		if err != nil {
			return fmt.Errorf("%s %q: %w", fact, words[i+1], err)
		}
		if _, twice := st.facts[fact]; twice {
			return fmt.Errorf("%q: says %s twice", st.text, fact)
		}
		st.facts[fact] = value
	}
	return nil
}

// canonical is a fact's value as it is written of a [core.Result].
func canonical(fact, value string) (string, error) {
	switch fact {
	case "remaining":
		n, err := strconv.ParseInt(value, 10, 64)
		return strconv.FormatInt(n, 10), err
	case "retry", "reset":
		if fact == "retry" && value == "never" {
			return value, nil
		}
		d, err := parseDuration(value)
		return d.String(), err
	case "limit":
		l, err := core.ParseLimit(value)
		return l.String(), err
	}
	return "", errors.New("no such fact: want remaining, retry, reset or limit")
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d%time.Millisecond != 0 {
		return 0, fmt.Errorf("time %q: want whole milliseconds, as in 1.5s", s)
	}
	return d, nil
}
