package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) stockRoutes() []visit.Route { return nil }

func (room *Room) movementRoutes() []visit.Route { return nil }
