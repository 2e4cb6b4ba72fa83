package tablecheck

import (
	"strings"
	"testing"

	"github.com/slidegate/slidegate/nethttp"
)

func TestVerify(t *testing.T) {
	served := Router{}
	served.Add("GET", "/both")
	served.Add("POST", "/both")
	served.Add("HEAD", "/probe")
	served.Add(AnyMethod, "/any")
	served.Add("GET", "/{id:[a-z ]+}")
	for _, tt := range []struct{ name, key, want string }{
		{"a method that is there", "POST /both", ""},
		{"a pattern that is there", "/both", ""},
		{"a pattern with a space", "/{id:[a-z ]+}", ""},
		{"a method and a pattern with a space", "GET /{id:[a-z ]+}", ""},
		{"a route of all methods", "PATCH /any", ""},
		{"GET, which HEAD falls back to", "GET /probe", ""},
		{"HEAD where GET alone is served", "HEAD /both", `x: Verify: "HEAD /both" matches no route: the pattern is there for GET, POST`},
		{"a method that is not there", "PUT /both", `x: Verify: "PUT /both" matches no route: the pattern is there for GET, POST`},
		{"a pattern that is not there", "/bothh", `x: Verify: "/bothh" matches no route`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := served.Verify("x", nethttp.Routes{tt.key: nethttp.Unlimited, "*": nethttp.Unlimited})
			if got := message(err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestVerifyNamesTheFaultsOfTheTableToo(t *testing.T) {
	err := Router{}.Verify("x", nethttp.Routes{"/none": nil})
	for _, fault := range []string{`"/none": the guard is nil`, `no "*"`, `"/none" matches no route`} {
		if !strings.Contains(message(err), fault) {
			t.Errorf("%v does not say %s", err, fault)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
