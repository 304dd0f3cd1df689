package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) orderRoutes() []visit.Route { return nil }
