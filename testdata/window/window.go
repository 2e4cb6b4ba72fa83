// Package window holds the scenarios that every store must play, as text files; README.md describes their form. It is a
// package so that they travel with storetest into modules that test a store of their own.
package window

import "embed"

// Files are the scenarios, *.txt.
//
//go:embed *.txt
var Files embed.FS
