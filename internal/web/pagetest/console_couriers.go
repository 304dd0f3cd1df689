package pagetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/page"
)

// couriers are the ids of couriers in states of their own, by these names.
const (
	wordyCourier    = "wordy"
	hostileCourier  = "hostile"
	inactiveCourier = "inactive"
)

// courierScenes are those of the records of couriers, and of the board's other views.
func (h *house) courierScenes() (scenes []Scene) {
	add := func(name, who, path string) {
		scenes = append(scenes, Scene{
			Name: "console-courier" + name, URL: h.url + "/console/couriers" + path, Policy: page.Policy,
			Cookie: h.operatorSession(who),
		})
	}
	admin := secured(page.English)
	add("s", dispatcher, "")
	add("s-admin-hostile", admin, "")
	add("s-inactive", dispatcher, "?status=inactive")
	add("s-unknown", dispatcher, "?q=%3Cb%3EZo%C3%A9")
	add("-new", dispatcher, "/new")
	add("-many", dispatcher, "/"+h.courierID)
	add("-none", admin, "/"+h.couriers[wordyCourier])
	add("-hostile", admin, "/"+h.couriers[hostileCourier])
	add("-inactive", dispatcher, "/"+h.couriers[inactiveCourier])
	view := func(name, query, shown string) {
		scenes = append(scenes, Scene{
			Name: "console-" + name, URL: h.url + "/console/board" + query, Policy: console.BoardPolicy(),
			Cookie: h.operatorSession(dispatcher), Shown: shown,
		})
	}
	view("map", "?view=map", ".map-view.settled")
	view("map-area", "?view=map&zone=M5H", ".map-view.settled .brief li")
	view("map-none", "?view=map&zone=X9X", ".map-view.settled")
	view("map-hostile", "?view=map&q=hacked&zone=H7N", ".brief li")
	view("lanes", "?view=couriers", ".lane .row-act")
	view("lanes-none", "?view=couriers&zone=X9X", ".lane")
	view("lanes-hostile", "?view=couriers&courier="+h.couriers[hostileCourier], ".lane .row-act")
	return scenes
}

// sheetScenes are the run sheets of a courier with many stops, one without any, and the hostile one.
func (h *house) sheetScenes() (scenes []Scene) {
	for name, id := range map[string]string{
		"": h.courierID, "-none": h.couriers[wordyCourier], "-hostile": h.couriers[hostileCourier],
	} {
		scenes = append(scenes, Scene{
			Name: "console-sheet" + name, URL: h.url + "/console/couriers/" + id + "/sheet", Policy: page.Policy,
			Cookie: h.operatorSession(dispatcher),
		})
	}
	slices.SortFunc(scenes, func(a, b Scene) int { return strings.Compare(a.Name, b.Name) })
	return scenes
}

// addCouriers adds couriers in states of their own. The hostile one has the order of the
// hostile partner.
func (h *house) addCouriers(ctx context.Context) error {
	h.couriers = map[string]string{}
	for name, request := range map[string]client.CourierRequest{
		wordyCourier: {Name: strings.Repeat("Anne-Marie de la ",
			14), Phone: "+15145550179", Vehicle: strings.Repeat("Camionnette ", 20)},
		hostileCourier:  {Name: hostileName, Phone: "+15145550180", Vehicle: hostileText},
		inactiveCourier: {Name: "Luc Bouchard", Phone: "+15145550181", Vehicle: "on foot", Active: new(false)},
	} {
		made, err := h.desk.CreateCourier(ctx, request)
		if err != nil {
			return fmt.Errorf("add the courier %s: %w", name, err)
		}
		h.couriers[name] = made.CourierID
	}
	assigned := client.StatusMove{Status: client.StatusCourierAssigned, CourierID: h.couriers[hostileCourier]}
	if _, err := h.desk.ChangeOrderStatus(ctx, h.orders[hostileText],
		client.StatusMoveRequest{StatusMove: assigned}); err != nil {
		return err
	}
	return h.addRiders(ctx)
}
