// Package exchanges holds the requests, and the responses to them, that every adapter must give, as text files; README.md
// describes their form.
package exchanges

import "embed"

// Files are the scenarios, *.txt.
//
//go:embed *.txt
var Files embed.FS
