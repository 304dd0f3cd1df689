// Package scenes_test does on the pages of pagetest what people do on them.
package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// scenes is shared by all tests, which only look.
var scenes pagetest.Shared

func TestMain(m *testing.M) { scenes.Main(m) }
