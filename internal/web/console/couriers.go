package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) courierRoutes() []visit.Route { return nil }
