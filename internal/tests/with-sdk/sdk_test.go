// Package sdk_test shows whether the packages in sdk are tested.
package sdk_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestIsAsked(t *testing.T) {
	t.Parallel()
	testkit.NeedSDK.Announce(t)
}
