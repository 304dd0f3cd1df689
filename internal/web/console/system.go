package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) systemRoutes() []visit.Route { return nil }
