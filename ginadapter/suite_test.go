package ginadapter_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/slidegate/slidegate/ginadapter"
	"github.com/slidegate/slidegate/internal/adaptertest"
	"github.com/slidegate/slidegate/nethttp"
)

var pattern = strings.NewReplacer("{id}", ":id", "{path...}", "*path").Replace

// router is gin as the suite sees it.
type router struct {
	*gin.Engine
	group gin.IRouter // the engine itself, or one of its groups
}

func (r router) Use(g nethttp.Guard) { r.group.Use(ginadapter.Wrap(g)) }

func (r router) Handle(method, p string, h http.HandlerFunc) {
	r.group.Handle(method, pattern(p), gin.WrapF(h))
}

func (r router) Mount(prefix string, build func(adaptertest.Router)) {
	build(router{r.Engine, r.group.Group(prefix)})
}

func TestSuite(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*gin.Engine)
	}{
		{"as it is", func(*gin.Engine) {}},
		{"UseRawPath", func(e *gin.Engine) { e.UseRawPath = true }},
		{"UseEscapedPath", func(e *gin.Engine) { e.UseEscapedPath = true }},
		{"RemoveExtraSlash", func(e *gin.Engine) { e.RemoveExtraSlash = true }},
		{"RedirectFixedPath", func(e *gin.Engine) { e.RedirectFixedPath = true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			adaptertest.Run(t, adaptertest.Adapter{
				New: func() adaptertest.Router {
					engine := gin.New()
					engine.HandleMethodNotAllowed = true
					tt.set(engine)
					return router{engine, engine}
				},
				Pattern: pattern,
			})
		})
	}
}

func TestMain(m *testing.M) {
	gin.SetMode(gin.TestMode)
	m.Run()
}
