//go:build !unix

package app

// mostFiles returns 0: the system sets no limit.
func mostFiles() uint64 { return 0 }
