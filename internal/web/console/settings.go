package console

import "github.com/dropyard/dropyard/internal/web/visit"

func (room *Room) settingsRoutes() []visit.Route { return nil }
