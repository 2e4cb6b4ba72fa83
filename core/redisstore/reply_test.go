package redisstore

import (
	"strings"
	"testing"
	"time"

	"github.com/slidegate/slidegate/core"
)

func counterRequest() *core.Request {
	return &core.Request{Limits: core.Limits{core.PerSecond(10)}, Cost: 1, States: make([]core.State, 1)}
}

func TestReadReplyOfCounters(t *testing.T) {
	const now, start = "\x00\x00\x00\x00\x0b\xb9", "\x00\x00\x00\x03" // 3001 ms, window 3
	for _, c := range []struct {
		name, reply string
		want        core.State
		err         string
	}{
		{name: "counts", reply: now + start + "\x00\x00\x01\x00\x00\x00\x00\x02", want: core.State{Previous: 256, Count: 2, Elapsed: 1}},
		{name: "the clock has stepped back", reply: now + "\x00\x00\x00\x04" + "\x00\x00\x00\x00\x00\x00\x00\x02",
			want: core.State{Count: 2, Elapsed: -999}},
		{name: "a window long past", reply: now + "\x00\x00\x00\x02" + "\x00\x00\x00\x00\x00\x00\x00\x02", err: "window 2"},
		{name: "foreign", reply: now + "\x00\x00\x00\x05" + strings.Repeat("\x00", 8), err: "something else"},
		{name: "saturated", reply: now + start + strings.Repeat("\xff", 8), want: core.State{Previous: 1<<32 - 1, Count: 1<<32 - 1, Elapsed: 1}},
		{name: "empty", err: "0 bytes, want 18"},
		{name: "short", reply: now + start, err: "10 bytes"},
		{name: "long", reply: now + start + strings.Repeat("\x00", 9), err: "19 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := counterRequest()
			at, err := readReply(c.reply, req)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got error %v, want one with %q", err, c.err)
				}
				return
			}
			if err != nil || req.States[0] != c.want || !at.Equal(time.UnixMilli(3001)) {
				t.Errorf("got %+v at %v, %v; want %+v", req.States[0], at, err, c.want)
			}
		})
	}
}

func TestReadReplyOfALog(t *testing.T) {
	const now = "\x00\x00\x00\x00\x0b\xb9" // 3001 ms
	for _, c := range []struct {
		name, reply string
		want        core.State
		err         string
	}{
		{name: "nothing", reply: now + strings.Repeat("\x00", 16)},
		{name: "room", reply: now + "\x00\x00\x00\x02\x00\x00\x00\x00\x0b\xb8\x00\x00\x00\x00\x00\x00", want: core.State{Count: 2, Elapsed: 1}},
		{name: "full", reply: now + "\x00\x00\x00\x0a\x00\x00\x00\x00\x0b\xb8\x00\x00\x00\x00\x0b\xb7",
			want: core.State{Count: 10, Elapsed: 1, Room: 998}},
		{name: "full without a time", reply: now + "\x00\x00\x00\x0a\x00\x00\x00\x00\x0b\xb8\x00\x00\x00\x00\x00\x00", err: "room"},
		{name: "a newest charge that has left", reply: now + "\x00\x00\x00\x01\x00\x00\x00\x00\x07\xd1\x00\x00\x00\x00\x00\x00", err: "newest"},
		{name: "foreign", reply: now + strings.Repeat("\xff", 16), err: "something else"},
		{name: "a counter's", reply: now + strings.Repeat("\x00", 12), err: "18 bytes, want 22"},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := counterRequest()
			req.Algorithm = core.SlidingLog
			_, err := readReply(c.reply, req)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got error %v, want one with %q", err, c.err)
				}
				return
			}
			if err != nil || req.States[0] != c.want {
				t.Errorf("got %+v, %v; want %+v", req.States[0], err, c.want)
			}
		})
	}
}

// FuzzReadReply checks that no reply makes the decoder panic, or lets through a state that a Limiter cannot take.
func FuzzReadReply(f *testing.F) {
	f.Add("", uint8(0), uint8(1))
	f.Add("\x00\x00\x00\x00\x0b\xb9\x00\x00\x00\x03\x00\x00\x01\x00\x00\x00\x00\x02", uint8(0), uint8(1))
	f.Add("\x00\x00\x00\x00\x0b\xb9"+strings.Repeat("\xff", 24), uint8(2), uint8(2))
	f.Add("\x00\x00\x00\x00\x0b\xb9\x00\x00\x00\x0a\x00\x00\x00\x00\x0b\xb8\x00\x00\x00\x00\x0b\xb7", uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, reply string, alg, limits uint8) {
		req := &core.Request{Algorithm: core.Algorithm(alg % 3), Cost: 1}
		for i := range 1 + int(limits)%core.MaxLimits {
			req.Limits = append(req.Limits, core.Per(10, time.Duration(i+1)*time.Second))
		}
		req.States = make([]core.State, len(req.Limits))
		if _, err := readReply(reply, req); err != nil {
			if !strings.HasPrefix(err.Error(), "redisstore: ") {
				t.Errorf("the error %q does not say whose it is", err)
			}
			return
		}
		for i, s := range req.States {
			w := req.Limits[i].Window.Milliseconds()
			if s.Count < 0 || s.Count >= 1<<32 || s.Previous < 0 || s.Previous >= 1<<32 ||
				s.Elapsed < -w || s.Elapsed >= w || s.Room < 0 || s.Room > 2*w {
				t.Errorf("limit %v: got %+v", req.Limits[i], s)
			}
		}
		req.Admitted()
	})
}
