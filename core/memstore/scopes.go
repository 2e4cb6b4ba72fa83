package memstore

import "github.com/slidegate/slidegate/internal/window"

// scopes numbers the scopes of a shard's entries, so that an entry holds 4 bytes of its scope. A scope is forgotten with
// its last entry, since limiters made by With may bring ever new ones. Names are not copied: they are short, and limiters
// hold on to most of them anyway.
type scopes struct {
	list    []scope
	numbers map[string]uint32
	free    []uint32
}

type scope struct {
	name string
	kind window.Kind
	keys int
}

// add counts one more key of the scope and is its number.
func (s *scopes) add(name string, kind window.Kind) uint32 {
	n, ok := s.numbers[name]
	if !ok {
		if k := len(s.free); k > 0 {
			n, s.free = s.free[k-1], s.free[:k-1]
		} else {
			n = uint32(len(s.list))
			s.list = append(s.list, scope{})
		}
		s.list[n] = scope{name: name, kind: kind}
		s.numbers[name] = n
	}
	s.list[n].keys++
	return n
}

// remove counts one key less.
func (s *scopes) remove(n uint32) {
	sc := &s.list[n]
	if sc.keys--; sc.keys == 0 {
		delete(s.numbers, sc.name)
		*sc = scope{}
		s.free = append(s.free, n)
	}
}
