package pace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Worker is such a process. It starts at the first request, again at the next one
// if it has ended, and ends with this process. It may be used by many goroutines,
// and handles one request at a time.
type Worker struct {
	log       *slog.Logger
	arguments []string

	mu      sync.Mutex
	running *process // nil before the start and after a failure; guarded by mu
	failing bool     // the last request failed, which is in the log; guarded by mu
}

// NewWorker returns a worker: this program with arguments that make it call ServeWorker. The
// first of several failures in a row is logged.
func NewWorker(log *slog.Logger, arguments ...string) *Worker {
	return &Worker{log: log, arguments: arguments}
}

// patience is how long a request may take. On a machine without load the work is
// done in some milliseconds.
const patience = 30 * time.Second

// Do returns the worker's answer to a request. It is not interrupted, because the
// requests of others wait behind it.
func (w *Worker) Do(request []byte) (answer []byte, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	answer, err = w.do(request)
	if err != nil && !w.failing {
		w.log.Warn("the worker for heavy work has failed", "worker", w.arguments, "error", err)
	}
	w.failing = err != nil
	return answer, err
}

// do does without the log. The caller holds mu.
func (w *Worker) do(request []byte) (answer []byte, err error) {
	if w.running == nil {
		if w.running, err = start(w.arguments); err != nil {
			return nil, fmt.Errorf("start a worker: %w", err)
		}
	}
	if answer, err = w.running.ask(request); err != nil {
		err = errors.Join(fmt.Errorf("ask the worker: %w", err), w.running.end())
		w.running = nil
	}
	return answer, err
}

type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// asWorker is set in the environment of workers.
const asWorker = "DROPYARD_WORKER"

// start starts the program that this process runs, even if its file has been
// replaced meanwhile where the system permits that. A worker starts no further ones: a
// program that does not understand the arguments could otherwise start itself without
// end.
func start(arguments []string) (*process, error) {
	if os.Getenv(asWorker) != "" {
		return nil, errors.New("this process is a worker itself")
	}
	program := "/proc/self/exe"
	if _, err := os.Stat(program); err != nil {
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	//nolint:gosec,noctx // this program; it ends with its input
	p := &process{command: exec.Command(program, arguments...)}
	p.command.Env = append(os.Environ(), asWorker+"=1", "GOMAXPROCS=1")
	p.command.Stderr = os.Stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return p, nil
}

func (p *process) ask(request []byte) ([]byte, error) {
	kill := time.AfterFunc(patience, func() { _ = p.command.Process.Kill() })
	defer kill.Stop()
	if err := write(p.in, request); err != nil {
		return nil, err
	}
	return read(p.out)
}

// end ends a process that has failed.
func (p *process) end() error {
	_ = p.command.Process.Kill() // it may have ended already, which Wait reports
	return errors.Join(p.in.Close(), p.command.Wait())
}

// ServeWorker lowers the priority of the process and answers requests until the input
// ends. It is what the worker's process runs.
func ServeWorker(in io.Reader, out io.Writer, handle func(request []byte) (answer []byte)) error {
	lowerPriority()
	requests := bufio.NewReader(in)
	for {
		request, err := read(requests)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = write(out, handle(request))
		}
		if err != nil {
			return err
		}
	}
}

// maxMessage bounds what a damaged length makes a reader allocate, in bytes.
const maxMessage = 1 << 20

// write writes a message after its length.
func write(w io.Writer, message []byte) error {
	framed := binary.BigEndian.AppendUint32(nil, uint32(len(message))) //nolint:gosec // read refuses what is longer
	_, err := w.Write(append(framed, message...))
	return err
}

// read reads a message. It returns io.EOF only where one would begin.
func read(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil { // io.EOF if there is nothing
		return nil, err
	}
	length := binary.BigEndian.Uint32(size[:])
	if length > maxMessage {
		return nil, fmt.Errorf("a message of %d bytes", length)
	}
	message := make([]byte, length)
	if _, err := io.ReadFull(r, message); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return message, nil
}
