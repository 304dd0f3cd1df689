//go:build !unix

package app

// mayWrite finds nothing: permissions of files are not checked on this system.
func mayWrite(string) error { return nil }

// mostFiles returns 0: the system sets no limit.
func mostFiles() uint64 { return 0 }
