package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) partnerRoutes() []visit.Route { return nil }
