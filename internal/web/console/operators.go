package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) operatorRoutes() []visit.Route { return nil }
