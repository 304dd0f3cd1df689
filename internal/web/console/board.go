package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) boardRoutes() []visit.Route { return nil }
