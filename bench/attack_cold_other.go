//go:build !linux

package main

import "errors"

func dropCache(string) error {
	return errors.New("attack cold: dropping a file from memory needs Linux")
}
