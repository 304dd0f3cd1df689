package disk

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// sector is what a disk writes as a whole, in bytes.
const sector = 512

// PowerFailure describes when the power fails, and what the disk does then.
type PowerFailure struct {
	After  int // operations of the recording
	Random *rand.Rand
	// IgnoreSyncs makes every sync return before anything is durable, as a broken disk
	// does.
	IgnoreSyncs bool
}

// image is what a disk is known to hold of a node, and what the program has done since.
type image struct {
	content []byte
	names   map[string]int
	pending []pendingOperation
}

type pendingOperation struct {
	operation
	index int // in the recording
}

// Restore writes the files that the disk may hold after the power has failed to a folder
// that exists and is empty. What a sync has made durable is there. Of all later operations
// a random subset is, and any of its writes may have reached the disk in part only: in
// whole sectors, in any order, or as a longer file without the data.
func (r *Recording) Restore(folder string, failure PowerFailure) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	random, images := failure.Random, make([]*image, len(r.nodes))
	for i := range images {
		images[i] = &image{names: map[string]int{}}
	}
	for i, op := range r.operations[:failure.After] {
		switch at := images[op.node]; {
		case op.kind == lose:
			at.settle(op.began, func(earlier operation) { at.mayApply(earlier, 0.5, random) })
		case op.kind != flush:
			at.pending = append(at.pending, pendingOperation{op, i})
		case !failure.IgnoreSyncs:
			at.settle(op.began, at.apply)
		}
	}
	kept := []float64{0, 0.5, 0.9, 1}[random.IntN(4)]
	for _, image := range images {
		for _, op := range image.pending {
			image.mayApply(op.operation, kept, random)
		}
	}
	return r.writeFolder(folder, 0, images)
}

// settle passes the pending operations that came before an index to apply, for good.
func (m *image) settle(before int, apply func(operation)) {
	later := slices.IndexFunc(m.pending, func(op pendingOperation) bool { return op.index >= before })
	if later < 0 {
		later = len(m.pending)
	}
	for _, op := range m.pending[:later] {
		apply(op.operation)
	}
	m.pending = slices.Clone(m.pending[later:])
}

func (m *image) apply(op operation) {
	switch op.kind {
	case data:
		m.grow(op.offset + int64(len(op.data)))
		copy(m.content[op.offset:], op.data)
	case truncate:
		m.grow(op.offset)
		m.content = m.content[:op.offset]
	case rename:
		maps.Copy(m.names, op.names)
		maps.DeleteFunc(m.names, func(_ string, to int) bool { return to == gone })
	case flush, lose: // change nothing themselves
	}
}

// grow makes the content at least so long.
func (m *image) grow(size int64) {
	if missing := size - int64(len(m.content)); missing > 0 {
		m.content = append(m.content, make([]byte, missing)...)
	}
}

// mayApply applies an operation that no sync has made durable: with the probability kept
// as a whole, otherwise not at all, or a part of it.
func (m *image) mayApply(op operation, kept float64, random *rand.Rand) {
	switch {
	case random.Float64() < kept:
		m.apply(op)
	case op.kind == data && random.IntN(2) == 0:
		m.tear(op, random)
	}
}

// tear applies random sectors of a write.
func (m *image) tear(op operation, random *rand.Rand) {
	end := op.offset + int64(len(op.data))
	if random.IntN(2) == 0 {
		m.grow(end)
	}
	for from := op.offset; from < end; {
		to := min(end, from/sector*sector+sector)
		if random.IntN(2) == 0 {
			m.apply(operation{kind: data, offset: from, data: op.data[from-op.offset : to-op.offset]})
		}
		from = to
	}
}

// writeFolder writes a node that is a folder with all that its names lead to.
func (r *Recording) writeFolder(folder string, at int, images []*image) error {
	for name, to := range images[at].names {
		path, node := filepath.Join(folder, name), r.nodes[to]
		if !node.folder {
			if err := os.WriteFile(path, images[to].content, node.mode); err != nil {
				return err
			}
			continue
		}
		if err := os.Mkdir(path, node.mode); err != nil {
			return err
		}
		if err := r.writeFolder(path, to, images); err != nil {
			return err
		}
	}
	return nil
}
