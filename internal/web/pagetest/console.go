package pagetest

import "github.com/dropyard/dropyard/internal/web/page"

// deskScenes are the documents of the console, but for those in files of their own.
func (h *house) deskScenes() (scenes []Scene) {
	add := func(name, who, path string) {
		scenes = append(scenes, Scene{Name: name, URL: h.url + path, Policy: page.Policy, Cookie: h.operatorSession(who)})
	}
	add("console-operators", administrator, "/console/operators")
	add("console-operators-new", administrator, "/console/operators/new")
	add("console-operators-one", administrator, "/console/operators/"+h.operatorID)
	add("console-settings", administrator, "/console/settings")
	add("console-audit", administrator, "/console/audit")
	add("console-audit-moves", administrator, "/console/audit?action=order.moved")
	add("console-audit-none", administrator, "/console/audit?object_id=ord_none")
	add("console-audit-faults", administrator, "/console/audit?from=yesterday")
	add("console-system", administrator, "/console/system")
	add("console-figures", dispatcher, "/console/figures")
	add("console-figures-money", accountant, "/console/figures?days=7")
	add("console-figures-partner", dispatcher, "/console/figures?by=courier&partner_id="+h.stockedID)
	return scenes
}
