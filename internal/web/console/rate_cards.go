package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) rateCardRoutes() []visit.Route { return nil }
