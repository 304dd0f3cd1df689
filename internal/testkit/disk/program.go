package disk

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
)

// Program is a program whose calls are recorded while it runs.
type Program struct {
	*Recording
	pid    int
	faults atomic.Pointer[func(Call) syscall.Errno]
	ended  chan struct{} // closed when the program has ended
}

// Record starts a program as Start does, and kills it when the test ends. It returns the
// other end of the program's standard error. The test is skipped where programs cannot be
// traced, as in some containers.
func Record(t testing.TB, command *exec.Cmd, root string) (p *Program, printed *os.File) {
	t.Helper()
	printed, standardError, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = printed.Close() })
	command.Stderr = standardError
	p, err = Start(command, root)
	_ = standardError.Close()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
		t.Skip("SKIPPED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p, printed
}

// Kill ends the program, unless it has ended.
func (p *Program) Kill() {
	select {
	case <-p.ended:
	default:
		_ = p.Signal(syscall.SIGKILL)
		p.Wait()
	}
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
