package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// spent is what a process has used so far, as /proc of Linux tells it.
type spent struct {
	cpu     time.Duration // in user and system mode
	written int64         // bytes that it had written to a disk
}

// process is what /proc holds of the CPU time of a process.
type process struct {
	parent int
	used   time.Duration
	reaped time.Duration // of children that have ended
}

// clockTick is the unit of times in /proc.
const clockTick = 10 * time.Millisecond

func readProcess(pid int) (p process, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, err
	}
	// The name may hold any characters; fields follow it: state, parent, …
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	number := func(at int) int64 {
		n, e := strconv.ParseInt(fields[at], 10, 64)
		err = errors.Join(err, e)
		return n
	}
	p.parent = int(number(1))
	p.used = time.Duration(number(11)+number(12)) * clockTick
	p.reaped = time.Duration(number(13)+number(14)) * clockTick
	return p, err
}

// spentBy returns what a process has used. With its children, it includes theirs,
// but what ended children have written: a server of PostgreSQL has a process for each
// connection.
func spentBy(pid int, withChildren bool) (s spent, err error) {
	own, err := readProcess(pid)
	if err != nil {
		return s, err
	}
	s = spent{own.used, writtenBy(pid)}
	if !withChildren {
		return s, nil
	}
	s.cpu += own.reaped
	all, err := filepath.Glob("/proc/[0-9]*")
	for _, path := range all {
		id, _ := strconv.Atoi(filepath.Base(path))
		// A process that has ended meanwhile counts as reaped the next time.
		if p, gone := readProcess(id); gone == nil && p.parent == pid {
			s.cpu += p.used
			s.written += writtenBy(id)
		}
	}
	return s, err
}

// writtenBy returns how many bytes a process had written to a disk; 0 where the
// system does not tell.
func writtenBy(pid int) int64 {
	return int64(field(fmt.Sprintf("/proc/%d/io", pid), "write_bytes"))
}

// resident returns the memory of a process in MB, now or at most (VmRSS, VmHWM).
func resident(pid int, name string) float64 {
	return field(fmt.Sprintf("/proc/%d/status", pid), name) / 1024
}

// field returns the number behind a name in a file of /proc; 0 if there is none.
func field(file, name string) float64 {
	text, _ := os.ReadFile(filepath.Clean(file))
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			number, _ := strconv.ParseFloat(strings.Fields(value + " 0")[0], 64)
			return number
		}
	}
	return 0
}

// loadAverage returns the load average of the machine over the last minute, which
// includes this program.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	average, _ := strconv.ParseFloat(first, 64)
	return average
}

// diskBytes returns the size of all files of a directory.
func diskBytes(directory string) (bytes int64, err error) {
	err = filepath.WalkDir(directory, func(_ string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreMissing(err)
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return ignoreMissing(err)
	})
	return bytes, err
}

// ignoreMissing returns no error for a file that was removed meanwhile.
func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// median returns the middle one of some values.
func median(values []float64) float64 {
	return percentile(slices.Sorted(slices.Values(values)), 0.5)
}
