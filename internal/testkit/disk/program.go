package disk

import (
	"os"
	"sync/atomic"
	"syscall"
)

// Program is a program whose calls are recorded while it runs.
type Program struct {
	*Recording
	pid    int
	faults atomic.Pointer[func(Call) syscall.Errno]
	ended  chan struct{} // closed when the program has ended
}

// Call is what a program asks of the system.
type Call struct {
	Kind CallKind
	Path string // in the folder that is recorded; the first one of a file with several
}

// CallKind says what a Call does.
type CallKind int

// The kinds of calls that can be made to fail.
const (
	Read CallKind = iota
	Write
	Sync
	Create // a file, a folder or a further name of a file
)

// Fail makes those calls of the program fail for which fault returns an error other than
// 0. Calls of several threads are asked for one at a time. With nil no call fails.
func (p *Program) Fail(fault func(Call) syscall.Errno) {
	if fault == nil {
		p.faults.Store(nil)
		return
	}
	p.faults.Store(&fault)
}

// Signal sends the program a signal.
func (p *Program) Signal(signal syscall.Signal) error {
	process, err := os.FindProcess(p.pid)
	if err != nil {
		return err
	}
	return process.Signal(signal)
}

// Wait waits until the program has ended.
func (p *Program) Wait() { <-p.ended }
