package console

import (
	"errors"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	// exportsPath is the page of the exports, for those who work with their files and do not see the system page.
	exportsPath = "/console/exports"
	exportPath  = systemPath + "/export"
)

func (pages *Pages) exportRoutes() []web.Route {
	return []web.Route{
		pages.get("/exports", bookkeeping, (*Pages).exportsPage),
		pages.post("/exports", bookkeeping, func(pages *Pages, s *sheet) (int, []byte, error) {
			return pages.exportDays(s, exportsPath)
		}),
		pages.post("/system/export", administering, func(pages *Pages, s *sheet) (int, []byte, error) {
			return pages.exportDays(s, systemPath)
		}),
	}
}

// exportsView is what pages show of the nightly exports.
type exportsView struct {
	*sheet
	*installation.Exports
	Days []installation.ExportDay // the latest ones
	Now  *page.Form               // exports the days that have ended; nil while that is done
}

// daysShown is how many days the pages list that were exported.
const daysShown = 7

// exportStages are the phrases for how far the export of a day is.
var exportStages = map[string]string{"sealing": "system.export.sealing", "writing": "system.export.writing"}

// Stage returns the phrase for how far the export of a day is; empty if it is done.
func (v *exportsView) Stage(day installation.ExportDay) string { return exportStages[day.State] }

// Digest returns the beginning of the digest of a day's manifest.
func (v *exportsView) Digest(day installation.ExportDay) string {
	if day.ManifestSHA256 == nil {
		return ""
	}
	return (*day.ManifestSHA256)[:12]
}

// Bytes returns a size in words.
func (v *exportsView) Bytes(n int64) string { return v.Language.Bytes(n) }

// exports returns the state of the exports, with a form that is sent to a path; nil if the service exports nothing.
func (s *sheet) exports(action string) (*exportsView, error) {
	list, err := s.pages.config.Exports(s.Context(), 0, daysShown)
	if err != nil || list.Exports == nil {
		return nil, err
	}
	view := &exportsView{sheet: s, Exports: list.Exports, Days: list.Days}
	if !view.Running {
		view.Now, err = s.form(action, 0)
	}
	return view, err
}

func (pages *Pages) exportsPage(s *sheet) (int, []byte, error) {
	view, err := s.exports(exportsPath)
	if err != nil {
		return 0, nil, err
	}
	return s.show(leaf{template: "exports", title: s.Text("system.exports"), data: struct {
		*sheet
		Ways    []page.Link
		Nightly *exportsView
	}{s, s.moneyWays(), view}})
}

// exportDays has the days exported that have ended, and leads back to a page.
func (pages *Pages) exportDays(s *sheet, back string) (int, []byte, error) {
	err := pages.config.BeginExport(s.Context())
	if refused := new(refusal.Error); errors.As(err, &refused) {
		return s.LeadTo(back, page.Flash{Key: "system.export.none", Danger: true})
	}
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(back, page.Flash{Key: "system.export.begun"})
}
