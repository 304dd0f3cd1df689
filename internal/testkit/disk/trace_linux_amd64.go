package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// tracer follows all threads of a program with ptrace(2). All of its calls are made on one
// thread, as ptrace demands, so that its fields need no lock.
type tracer struct {
	*Program
	root    string
	memory  *os.File
	files   map[int32]int // nodes by the program's file descriptors
	threads map[int]*thread
}

// thread is a thread of the program.
type thread struct {
	inside bool // a system call
	enter  unix.PtraceRegs
	began  int           // operations when the call was entered
	fault  syscall.Errno // with which the call shall fail
}

// Start starts a program. It records what the program does to the files below root, an
// empty folder. Of the command it uses path, arguments, environment and the
// standard error, which must be an *os.File.
func Start(command *exec.Cmd, root string) (*Program, error) {
	p := &Program{Recording: newRecording(), ended: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		// A thread that ends takes with it the programs that it has started, if they are to
		// end with their parent: this one must go on.
		defer runtime.UnlockOSThread()
		defer close(p.ended)
		t := &tracer{Program: p, root: path.Clean(root), files: map[int32]int{}, threads: map[int]*thread{}}
		err := t.start(command)
		started <- err
		if err == nil {
			t.follow()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// start starts the program and lets it run to its first system call.
func (t *tracer) start(command *exec.Cmd) error {
	errorFile, _ := command.Stderr.(*os.File)
	if errorFile == nil {
		return errors.New("the command's standard error is not a file")
	}
	none, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = none.Close() }()
	t.pid, err = syscall.ForkExec(command.Path, command.Args, &syscall.ProcAttr{
		Env: command.Environ(), Files: []uintptr{
			none.Fd(), none.Fd(), errorFile.Fd(),
		}, Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", command.Path, err)
	}
	var status unix.WaitStatus
	if _, err = unix.Wait4(t.pid, &status, unix.WALL, nil); err == nil {
		err = unix.PtraceSetOptions(t.pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL)
	}
	if err == nil {
		t.memory, err = os.Open(fmt.Sprintf("/proc/%d/mem", t.pid))
	}
	if err == nil {
		err = unix.PtraceSyscall(t.pid, 0)
	}
	if err != nil {
		return errors.Join(err, syscall.Kill(t.pid, syscall.SIGKILL))
	}
	return nil
}

// follow handles the stops of all threads until the program has ended.
func (t *tracer) follow() {
	defer func() { _ = t.memory.Close() }()
	for {
		var status unix.WaitStatus
		// The threads of this program only: its process group. This thread may have other
		// children, which were started before it was locked.
		id, err := unix.Wait4(-t.pid, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // no thread is left
			return
		case !status.Stopped():
			delete(t.threads, id)
		default:
			// It fails if the program was killed meanwhile.
			_ = unix.PtraceSyscall(id, t.stopped(id, status))
		}
	}
}

// stopped handles a stop of a thread and returns the signal that it shall get; 0 for none.
func (t *tracer) stopped(id int, status unix.WaitStatus) (signal int) {
	at := t.threads[id]
	known := at != nil
	if !known {
		at = &thread{}
		t.threads[id] = at
	}
	switch stop := status.StopSignal(); {
	case stop == unix.SIGTRAP|0x80:
		t.call(id, at)
	case stop == unix.SIGTRAP: // a new thread, or a new program
	case stop == unix.SIGSTOP && !known: // with which a new thread begins
	default:
		return int(stop)
	}
	return 0
}

// call handles the beginning or the end of a system call.
func (t *tracer) call(id int, at *thread) {
	var regs unix.PtraceRegs
	if unix.PtraceGetRegs(id, &regs) != nil {
		return // the program was killed
	}
	at.inside = !at.inside
	if at.inside {
		at.enter, at.began = regs, t.Len()
		at.fault = t.faultOf(&regs)
		if regs.Orig_rax == unix.SYS_CLOSE { // afterwards another thread may have got the number
			delete(t.files, int32(regs.Rdi))
		}
		if at.fault != 0 {
			regs.Orig_rax = ^uint64(0) // no such call
			_ = unix.PtraceSetRegs(id, &regs)
		}
		return
	}
	if at.fault != 0 {
		regs.Rax = uint64(-int64(at.fault))
		_ = unix.PtraceSetRegs(id, &regs)
		t.failed(at)
		return
	}
	if result := int64(regs.Rax); result >= 0 {
		t.record(at, result)
	}
}

// failed records a sync of a file that has failed. One of a folder loses nothing: file
// systems keep names in a journal, and stop when that cannot be written.
func (t *tracer) failed(at *thread) {
	if number := at.enter.Orig_rax; number != unix.SYS_FSYNC && number != unix.SYS_FDATASYNC {
		return
	}
	if node := t.files[int32(at.enter.Rdi)]; !t.isFolder(node) {
		t.add(operation{kind: lose, node: node, began: at.began})
	}
}

// faultOf returns the error with which a call shall fail.
func (t *tracer) faultOf(regs *unix.PtraceRegs) syscall.Errno {
	fault := t.faults.Load()
	if fault == nil {
		return 0
	}
	var kind CallKind
	switch regs.Orig_rax {
	case unix.SYS_READ, unix.SYS_PREAD64:
		kind = Read
	case unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_FTRUNCATE:
		kind = Write
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		kind = Sync
	default:
		if name, inside := t.created(regs); inside {
			return (*fault)(Call{Create, name})
		}
		return 0
	}
	if node, known := t.files[int32(regs.Rdi)]; known {
		return (*fault)(Call{kind, t.pathOf(node)})
	}
	return 0
}

// created returns the path that a call makes, and whether it makes one below the root.
func (t *tracer) created(regs *unix.PtraceRegs) (name string, inside bool) {
	switch regs.Orig_rax {
	case unix.SYS_OPENAT:
		name, inside = t.path(regs.Rdi, regs.Rsi)
		return name, inside && regs.Rdx&unix.O_CREAT != 0 && t.find(name) == gone
	case unix.SYS_MKDIRAT:
		return t.path(regs.Rdi, regs.Rsi)
	case unix.SYS_LINKAT:
		return t.path(regs.Rdx, regs.R10)
	}
	return "", false
}

// record records a call that has succeeded.
func (t *tracer) record(at *thread, result int64) {
	regs := &at.enter
	if node, known := t.files[int32(regs.Rdi)]; known && t.recordFile(at, node, result) {
		return
	}
	switch regs.Orig_rax {
	case unix.SYS_OPEN:
		t.opened(int32(result), unix.AT_FDCWD, regs.Rdi, regs.Rsi, regs.Rdx)
	case unix.SYS_OPENAT:
		t.opened(int32(result), int64(regs.Rdi), regs.Rsi, regs.Rdx, regs.R10)
	case unix.SYS_MKDIR, unix.SYS_MKDIRAT:
		folder, name, mode := atCurrent, regs.Rdi, regs.Rsi
		if regs.Orig_rax == unix.SYS_MKDIRAT {
			folder, name, mode = regs.Rdi, regs.Rsi, regs.Rdx
		}
		if name, inside := t.path(folder, name); inside {
			t.create(name, true, fs.FileMode(mode)&0o777)
		}
	case unix.SYS_UNLINK, unix.SYS_RMDIR:
		t.removed(t.path(atCurrent, regs.Rdi))
	case unix.SYS_UNLINKAT:
		t.removed(t.path(regs.Rdi, regs.Rsi))
	case unix.SYS_LINKAT:
		t.renamed(regs, t.link)
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		t.renamed(regs, t.rename)
	}
}

// recordFile records a call whose first argument is a file descriptor, and reports whether
// the call was one.
func (t *tracer) recordFile(at *thread, node int, result int64) bool {
	regs := &at.enter
	switch regs.Orig_rax {
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		t.add(operation{kind: flush, node: node, began: at.began})
	case unix.SYS_FTRUNCATE:
		t.add(operation{kind: truncate, node: node, offset: int64(regs.Rsi)})
	case unix.SYS_PWRITE64:
		t.add(operation{kind: data, node: node, offset: int64(regs.R10), data: t.bytes(regs.Rsi, result)})
	case unix.SYS_WRITE:
		t.add(operation{kind: data, node: node, offset: t.position(regs.Rdi) - result, data: t.bytes(regs.Rsi, result)})
	default:
		return false
	}
	return true
}

var atCurrent = uint64(0xffffffffffffff9c) // AT_FDCWD

// opened notes a file descriptor of a file below the root.
func (t *tracer) opened(file int32, folder int64, name, flags, mode uint64) {
	where, inside := t.path(uint64(folder), name)
	if !inside {
		return
	}
	node := t.find(where)
	if node == gone {
		node = t.create(where, false, fs.FileMode(mode)&0o777)
	} else if flags&unix.O_TRUNC != 0 {
		t.add(operation{kind: truncate, node: node})
	}
	t.files[file] = node
}

func (t *tracer) removed(name string, inside bool) {
	if inside {
		t.remove(name)
	}
}

func (t *tracer) renamed(regs *unix.PtraceRegs, change func(from, to string)) {
	from, fromInside := t.path(regs.Rdi, regs.Rsi)
	to, toInside := t.path(regs.Rdx, regs.R10)
	if fromInside && toInside {
		change(from, to)
	}
}

// path returns a path of the program relative to the root, and whether it is below.
func (t *tracer) path(folder, name uint64) (relative string, inside bool) {
	text := t.text(name)
	if !path.IsAbs(text) {
		node, known := t.files[int32(folder)]
		return path.Join(t.pathOf(node), text), known
	}
	text = path.Clean(text)
	if text == t.root {
		return "", true
	}
	return strings.CutPrefix(text, t.root+"/")
}

// position returns the offset of a file descriptor.
func (t *tracer) position(file uint64) (offset int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", t.pid, file))
	if err == nil {
		_, _ = fmt.Sscanf(string(text), "pos: %d", &offset)
	}
	return offset
}

// bytes reads from the program's memory.
func (t *tracer) bytes(address uint64, size int64) []byte {
	data := make([]byte, size)
	n, _ := t.memory.ReadAt(data, int64(address)) // shorter only if the program was killed
	return data[:n]
}

// text reads a string that ends with a zero from the program's memory.
func (t *tracer) text(address uint64) string {
	text, _, _ := bytes.Cut(t.bytes(address, unix.PathMax), []byte{0})
	return string(text)
}
