package keyfuncs_test

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/slidegate/slidegate/keyfuncs"
)

func TestIP(t *testing.T) {
	for _, test := range []struct{ name, remoteAddr, want string }{
		{"IPv4", "203.0.113.9:1234", "203.0.113.9"},
		{"IPv4 without a port", "203.0.113.9", "203.0.113.9"},
		{"IPv4 with an empty port", "203.0.113.9:", "203.0.113.9"},
		{"IPv6", "[2001:db8:1:2:3:4:5:6]:443", "2001:db8:1:2::/64"},
		{"IPv6 without a port", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
		{"IPv6 in brackets without a port", "[2001:db8:1:2::7]", "2001:db8:1:2::/64"},
		{"IPv6 in capitals, with zeros", "[2001:0DB8:0001:0002::7]:443", "2001:db8:1:2::/64"},
		{"IPv6 written with an IPv4 tail", "[2001:db8:1:2::1.2.3.4]:443", "2001:db8:1:2::/64"},
		{"loopback", "127.0.0.1:1", "127.0.0.1"},
		{"loopback, IPv6", "[::1]:1", "::/64"},
		{"link-local, with a zone", "[fe80::1%eth0]:443", "fe80::/64"},
		{"mapped IPv4", "[::ffff:203.0.113.9]:1", "203.0.113.9"},
		{"mapped IPv4 in hex", "[::ffff:cb00:7109]:1", "203.0.113.9"},
		{"mapped IPv4 in full", "[0:0:0:0:0:ffff:cb00:7109]:1", "203.0.113.9"},
		{"mapped IPv4 with a zone", "[::ffff:203.0.113.9%eth0]:1", "203.0.113.9"},
		{"translated IPv4", "[64:ff9b::cb00:7109]:1", "203.0.113.9"},
		{"translated IPv4 with a zone", "[64:ff9b::203.0.113.9%eth0]:1", "203.0.113.9"},
		{"beside the translated", "[64:ff9b::1:cb00:7109]:1", "64:ff9b::/64"},
		{"translated by a local prefix", "[64:ff9b:1::cb00:7109]:1", "64:ff9b:1::/64"},
		{"6to4", "[2002:cb00:7109:7:8::9]:1", "2002:cb00:7109::/48"},
		{"the last before 6to4", "[2001:ffff:7109:7:8::9]:1", "2001:ffff:7109:7::/64"},
		{"a Unix socket", "@", ""},
		{"a Unix socket's path", "/run/api.sock", ""},
		{"nothing", "", ""},
		{"a port alone", ":1234", ""},
		{"a name", "localhost:1234", ""},
		{"a number", "2130706433:1", ""},
		{"hexadecimal", "0x7f.0.0.1:1", ""},
		{"three parts", "127.0.1:1", ""},
		{"leading zeros", "127.000.000.001:1", ""},
		{"spaces", " 127.0.0.1:1", ""},
		{"a list", "127.0.0.1, 10.0.0.1", ""},
		{"brackets alone", "[]:1", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			check(t, keyfuncs.IP(), request("/", from(test.remoteAddr)), test.want)
		})
	}
}

// CVE-2026-30827 of express-rate-limit, and the same in httprate's CanonicalizeIP: a mapped address taken for IPv6
// and cut to its network puts all of IPv4 into one bucket, and one taken as it is written gives a client two.
func TestMappedIPv4IsThatAddressAndNotAllOfIPv4(t *testing.T) {
	one := keyOf(t, keyfuncs.IP(), request("/", from("1.2.3.4:1")))
	for _, same := range []string{"[::ffff:1.2.3.4]:1", "[::ffff:102:304]:1", "[64:ff9b::1.2.3.4]:1"} {
		if got := keyOf(t, keyfuncs.IP(), request("/", from(same))); got != one {
			t.Errorf("%s is counted as %q, want %q", same, got, one)
		}
	}
	for _, other := range []string{"[::ffff:5.6.7.8]:1", "[::ffff:506:708]:1", "[64:ff9b::5.6.7.8]:1"} {
		if got := keyOf(t, keyfuncs.IP(), request("/", from(other))); got == one {
			t.Errorf("%s is counted with 1.2.3.4", other)
		}
	}
}

// ulule/limiter counts by the whole address by default: a client of one /64 has 2^64 keys.
func TestRotationWithinA64IsOneKey(t *testing.T) {
	keys := map[string]bool{}
	for i := range 1000 {
		addr := fmt.Sprintf("[2001:db8:1:2:%x:%x::%x]:%d", i*7919%65536, i, i*31, 1024+i)
		keys[keyOf(t, keyfuncs.IP(), request("/", from(addr)))] = true
	}
	if len(keys) != 1 {
		t.Errorf("%d keys, want 1", len(keys))
	}
	if keys[keyOf(t, keyfuncs.IP(), request("/", from("[2001:db8:1:3::1]:1")))] {
		t.Error("the next /64 is counted with it")
	}
}

// ulule/limiter's "<nil>": what has no address it can parse, such as one with a zone or a Unix socket, shares a key.
func TestPeersWithoutAnAddressShareNoKey(t *testing.T) {
	check(t, keyfuncs.IP(), request("/", from("@")), "")
	a := keyOf(t, keyfuncs.IP(), request("/", from("[2001:db8:1:2::1%eth0]:1")))
	b := keyOf(t, keyfuncs.IP(), request("/", from("[2001:db8:1:3::1%eth0]:1")))
	if a == b {
		t.Errorf("addresses with a zone share the key %q", a)
	}
}

func TestZonesAreNoKeys(t *testing.T) {
	a := keyOf(t, keyfuncs.IP(), request("/", from("[fe80::1%eth0]:1")))
	if b := keyOf(t, keyfuncs.IP(), request("/", from("[fe80::1%eth1]:1"))); a != b {
		t.Errorf("one address has the keys %q and %q", a, b)
	}
}

// chi's RealIP and httprate's KeyByRealIP (GHSA-3fxj-6jh8-hvhx): a header names the client, and the client names
// itself.
func TestNoHeaderChangesTheAddress(t *testing.T) {
	r := request("/", from("203.0.113.9:1"))
	for _, name := range []string{"X-Forwarded-For", "X-Real-IP", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP"} {
		r.Header.Set(name, "198.51.100.7")
	}
	r.Header.Set("Forwarded", "for=198.51.100.7")
	check(t, keyfuncs.IP(), r, "203.0.113.9")
}

// Whatever the text, the key is an address or a network that holds the peer, in the one form that it has.
func FuzzIP(f *testing.F) {
	for _, s := range []string{
		"203.0.113.9:1", "[2001:db8::1]:443", "::ffff:1.2.3.4", "[::ffff:102:304]:1", "64:ff9b::1.2.3.4", "2002:102:304::1",
		"[fe80::1%25eth0]:1", "@", "", "[", "]", "[]", "[[::1]]:1", "1.2.3.4:5:6", "%", "[::1%]:1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, remoteAddr string) {
		key, err := keyfuncs.IP()(request("/", from(remoteAddr)))
		if err != nil {
			if key != "" || !errors.Is(err, keyfuncs.ErrNoKey) {
				t.Fatalf("%q: key %q, error %v", remoteAddr, key, err)
			}
			return
		}
		if !strings.Contains(key, "/") {
			if addr, err := netip.ParseAddr(key); err != nil || !addr.Is4() || addr.String() != key {
				t.Fatalf("%q: key %q is no IPv4 address", remoteAddr, key)
			}
			return
		}
		network, err := netip.ParsePrefix(key)
		if err != nil || network.Masked().String() != key || network.Addr().Is4() || network.Addr().Is4In6() {
			t.Fatalf("%q: key %q is no network in its own form", remoteAddr, key)
		}
	})
}
