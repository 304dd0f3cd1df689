// Package disk runs a program and records what it does to the files of a folder. It can let
// calls of the program fail, and it makes the folders that a disk may hold after the power
// has failed. Tests only.
package disk

import (
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"
)

// Recording is what a program has done to the files of a folder, which was empty before.
// It is safe for concurrent use.
type Recording struct {
	mu         sync.Mutex
	operations []operation // guarded by mu
	nodes      []*node     // guarded by mu; the first is the folder itself
}

// node is a file or a folder. Its name is not part of it: that is in a folder.
type node struct {
	path   string // its first
	folder bool
	mode   fs.FileMode
	names  map[string]int // of a folder, as the program sees them: indexes of nodes
}

type kind int

const (
	data     kind = iota // of data at an offset of a file
	truncate             // a file to the size in offset
	rename               // of names in a folder
	flush                // of a file or a folder: a sync
	lose                 // a sync of a file that failed, after which the system forgets what was not written
)

// operation is a change of a node, or a sync of one.
type operation struct {
	kind   kind
	node   int
	offset int64
	data   []byte
	names  map[string]int // nodes by name; gone if the name was removed
	began  int            // the operations before this index had ended when the sync began
}

const gone = -1

func newRecording() *Recording {
	return &Recording{nodes: []*node{{folder: true, mode: 0o700, names: map[string]int{}}}}
}

// Len returns the number of operations so far. Once a client has an answer of the
// program, all operations that came before the answer are counted.
func (r *Recording) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.operations)
}

func (r *Recording) add(op operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, op)
}

// find returns the node at a path, or gone.
func (r *Recording) find(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.walk(name)
}

func (r *Recording) walk(name string) int {
	at := 0
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." {
			continue
		}
		next, found := r.nodes[at].names[part]
		if !found {
			return gone
		}
		at = next
	}
	return at
}

// pathOf returns the first path of a node.
func (r *Recording) pathOf(at int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nodes[at].path
}

func (r *Recording) isFolder(at int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nodes[at].folder
}

// create adds a file or a folder, unless there is one at the path, and returns its node.
func (r *Recording) create(name string, folder bool, mode fs.FileMode) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.walk(name); at != gone {
		return at
	}
	n := &node{path: name, folder: folder, mode: mode}
	if folder {
		n.names = map[string]int{}
	}
	r.nodes = append(r.nodes, n)
	r.name(map[string]int{name: len(r.nodes) - 1})
	return len(r.nodes) - 1
}

// link gives the file at a path a second name.
func (r *Recording) link(from, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.name(map[string]int{to: r.walk(from)})
}

func (r *Recording) rename(from, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.name(map[string]int{to: r.walk(from), from: gone})
}

func (r *Recording) remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.name(map[string]int{name: gone})
}

// name changes the nodes that paths lead to. What it changes in one folder is one
// operation. The caller holds mu.
func (r *Recording) name(changes map[string]int) {
	inFolder := map[int]map[string]int{}
	for name, to := range changes {
		folder := r.walk(path.Dir(name))
		if inFolder[folder] == nil {
			inFolder[folder] = map[string]int{}
		}
		inFolder[folder][path.Base(name)] = to
	}
	for folder, names := range inFolder {
		maps.Copy(r.nodes[folder].names, names)
		maps.DeleteFunc(r.nodes[folder].names, func(_ string, to int) bool { return to == gone })
		r.operations = append(r.operations, operation{kind: rename, node: folder, names: names})
	}
}
