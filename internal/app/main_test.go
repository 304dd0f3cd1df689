package app_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

func TestMain(m *testing.M) { apptest.Main(m) }
