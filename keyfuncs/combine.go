package keyfuncs

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// Compose is the keys of all funcs in one, so that each combination of them is counted apart. Each part is written
// with its length, as "3:abc,2:de,": joined by a separator alone, the parts of one client could be made to read as
// another's.
//
// If any of funcs has no key, there is none; the first error is returned as it is. Compose panics if funcs are none,
// or if one is nil.
func Compose(funcs ...Func) Func {
	funcs = checked("Compose", funcs)
	return func(r *http.Request) (string, error) {
		var buf [128]byte
		b := buf[:0]
		for _, f := range funcs {
			part, err := f(r)
			if err == nil && part == "" {
				err = ErrNoKey
			}
			if err != nil {
				return "", err
			}
			b = strconv.AppendInt(b, int64(len(part)), 10)
			b = append(b, ':')
			b = append(b, part...)
			b = append(b, ',')
		}
		return string(b), nil
	}
}

// First is the key of the first of funcs that has one: First(User(userID), IP()) counts users by name and everyone
// else by address. A func's error other than [ErrNoKey] is returned, and ends the search. First panics if funcs are
// none, or if one is nil.
//
// Each client should have one key at a time. Where a client can choose to send a credential or not, and it is not
// verified, it has as many keys as it has ideas.
func First(funcs ...Func) Func {
	funcs = checked("First", funcs)
	return func(r *http.Request) (string, error) {
		for _, f := range funcs {
			switch key, err := f(r); {
			case err == nil && key != "":
				return key, nil
			case err != nil && !errors.Is(err, ErrNoKey):
				return "", err
			}
		}
		return "", ErrNoKey
	}
}

func checked(name string, funcs []Func) []Func {
	if len(funcs) == 0 {
		panic("keyfuncs: " + name + ": no function is given")
	}
	for i, f := range funcs {
		if f == nil {
			panic(fmt.Sprintf("keyfuncs: %s: function %d is nil", name, i+1))
		}
	}
	return slices.Clone(funcs)
}
