package redisstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/slidegate/slidegate/core"
)

// clockSize is the size of the clock with which every reply begins, in bytes.
const clockSize = 6

// errForeign does not name the key, which may be personal: who operates the server finds it by its type.
var errForeign = errors.New("redisstore: the key holds something else than counts: " +
	"another program writes under the same prefix; give one of them another Prefix, or Reset the key")

// readReply reads what a script answered to one key: the clock, which it returns, and the key's states, which it writes
// into req.States. It takes no byte on trust.
func readReply(reply string, req *core.Request) (time.Time, error) {
	size := counterSize
	read := readCounter
	if req.Algorithm == core.SlidingLog {
		size, read = logSize, readLog
	}
	if want := clockSize + size*len(req.Limits); len(reply) != want {
		return time.Time{}, fmt.Errorf("redisstore: the script's reply has %d bytes, want %d", len(reply), want)
	}
	now, record := be48(reply), reply[clockSize:]
	for i := range req.Limits {
		if err := read(record, i, now, req); err != nil {
			return time.Time{}, err
		}
	}
	return time.UnixMilli(now), nil
}

// counterSize is what counter.lua answers of one limit, in bytes.
const counterSize = 12

// readCounter reads limit i of a counter's record.
func readCounter(record string, i int, now int64, req *core.Request) error {
	at := 4*len(req.Limits) + 8*i
	number, previous, current := be32(record[4*i:]), be32(record[at:]), be32(record[at+4:])
	w := req.Limits[i].Window.Milliseconds()
	elapsed := now % w
	switch number - uint32(now/w) {
	case 0:
	case 1: // the clock has stepped back out of the window
		elapsed -= w
	case 2:
		return errForeign
	default:
		return fmt.Errorf("redisstore: the script's reply is of window %d, but the clock is in %d", number, uint32(now/w))
	}
	req.States[i] = core.State{Count: int64(current), Previous: int64(previous), Elapsed: elapsed}
	return nil
}

// logSize is what log.lua answers of one limit, in bytes.
const logSize = 16

// readLog reads limit i of a log's answer.
func readLog(answer string, i int, now int64, req *core.Request) error {
	answer = answer[logSize*i:]
	sum := be32(answer)
	if sum == foreign {
		return errForeign
	}
	newest, room := be48(answer[4:]), be48(answer[10:])
	w := req.Limits[i].Window.Milliseconds()
	s := core.State{Count: int64(sum)}
	if sum > 0 {
		s.Elapsed = now - newest
		if s.Elapsed <= -w-1 || s.Elapsed >= w {
			return fmt.Errorf("redisstore: the script's reply has a newest charge %d ms before the clock, outside the window of %d ms",
				s.Elapsed, w)
		}
		if s.Count+req.Cost > req.Limits[i].Requests {
			s.Room = room + w - now
			if s.Room <= 0 || s.Room > 2*w {
				return fmt.Errorf("redisstore: the script's reply has room in %d ms, impossible for a window of %d ms", s.Room, w)
			}
		}
	}
	req.States[i] = s
	return nil
}

// foreign, in the place of a log's sum, says that the key holds no record. A log's limits are far below it.
const foreign = 1<<32 - 1

func be32(s string) uint32 { return binary.BigEndian.Uint32([]byte(s[:4])) }

func be48(s string) int64 {
	return int64(be32(s))<<16 | int64(s[4])<<8 | int64(s[5])
}
