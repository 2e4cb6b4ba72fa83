package keyfuncs

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// IP is the address of the peer: of whoever holds the other end of the connection, whatever the request says. Behind
// a proxy that is the proxy, and all its clients are one.
//
// An IPv4 address is a key as it is: "203.0.113.9". Of an IPv6 address the key is the /64, "2001:db8:1:2::/64", since
// that is the least that a customer of a provider is given: by the whole address, anyone would have 2^64 keys.
// Addresses that carry an IPv4 one count by it: mapped ones, which a listener for both families reports, and those of
// translators (64:ff9b::/96), which all lie within one /64; of 6to4 (2002::/16) the key is the /48 that belongs to
// one IPv4 address.
//
// A peer without an address, as of a Unix socket, is no key. It makes no allocation for an IPv4 peer.
func IP() Func { return ip }

func ip(r *http.Request) (string, error) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil { // tests and some middleware set an address without a port
		host = strings.TrimSuffix(strings.TrimPrefix(r.RemoteAddr, "["), "]")
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return "", ErrNoKey
	}
	if addr.Is4() {
		return host, nil // netip reads no other text of an IPv4 address than the canonical one
	}
	return network(addr), nil
}

var (
	translated = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052
	sixToFour  = netip.MustParsePrefix("2002::/16")    // RFC 3056
)

// network is the text of the network that addr, an IPv6 address, is counted with.
func network(addr netip.Addr) string {
	// Zones go before prefixes are looked at, since no prefix contains an address with one; and what is mapped is
	// told by its bits, not by its text: ::ffff:102:304 is 1.2.3.4 too.
	addr = addr.WithZone("").Unmap()
	switch {
	case addr.Is4():
		return addr.String()
	case translated.Contains(addr):
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:])).String()
	}
	bits := 64
	if sixToFour.Contains(addr) {
		bits = 48
	}
	var buf [len("2001:db8:1111:2222::/64")]byte
	return string(netip.PrefixFrom(addr, bits).Masked().AppendTo(buf[:0])) // String allocates twice
}
