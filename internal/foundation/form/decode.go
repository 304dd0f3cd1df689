package form

// Decode reads a command from the root of a document. The error lists all faults that read
// has found in it; a root that is not an object is one fault.
func Decode[C any](root Source, read func(*Form) C) (C, error) {
	var problems Problems
	command := read(New(root, &problems))
	return command, problems.Err()
}
