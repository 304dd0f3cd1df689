package pagetest

import "github.com/dropyard/dropyard/internal/web/page"

// pickScenes are the pages of the warehouse on which orders are picked, and its first page.
func (h *house) pickScenes() (scenes []Scene) {
	wave := "/console/picks/wave?order_id=" + h.orders["A-1040"]
	for _, one := range [][2]string{
		{"console-warehouse", "/console/warehouse"},
		{"console-picks", "/console/picks?until=all"},
		{"console-picks-none", "/console/picks?state=short"},
		{"console-picks-packing", "/console/picks?state=picked&until=all"},
		{"console-wave", wave},
		{"console-wave-product", wave + "&code=0627843400011"},
		{"console-wave-unknown", wave + "&code=%3Cscript%3Ehacked%3D1%3C%2Fscript%3E"},
		{"console-pick-list", "/console/picks/list?order_id=" + h.orders["A-1040"]},
	} {
		scenes = append(scenes, Scene{
			Name: one[0], URL: h.url + one[1], Policy: page.Policy, Cookie: h.operatorSession(secured(page.English)),
		})
	}
	return scenes
}
