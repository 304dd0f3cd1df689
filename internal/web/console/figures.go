package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) figuresRoutes() []visit.Route { return nil }
