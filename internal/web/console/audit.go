package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) auditRoutes() []visit.Route { return nil }
