//go:build !linux

package redistest

import "syscall"

// dieWithParent is nothing where the system cannot do it: a test process that is killed leaves its servers behind.
func dieWithParent() *syscall.SysProcAttr { return nil }
