//go:build !unix

package pace

func lowerPriority() {}
