package console

import (
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	systemPath      = "/console/system"
	acceptClockPath = systemPath + "/accept-clock"
	resumePath      = systemPath + "/resume"
)

func (pages *Pages) systemRoutes() []web.Route {
	return []web.Route{
		pages.get("/system", administering, (*Pages).system),
		pages.post("/system", administering, (*Pages).try),
		pages.post("/system/backup", administering, (*Pages).backUp),
		pages.post("/system/accept-clock", administering, (*Pages).acceptClock),
		pages.post("/system/resume", administering, (*Pages).resume),
	}
}

// systemView is what the page about the installation shows.
type systemView struct {
	*sheet
	installation.State
	Accept *page.Form // accepts the clock; nil unless that is refused
	Resume *page.Form // resumes webhooks and mails; nil unless they are held
	Try    *page.Form // makes one of the trials
	Trials []trialRow
	// Backups is nil unless the service makes backups.
	Backups *backupsView
	// Nightly is nil unless the service exports days.
	Nightly *exportsView
}

// holdTexts are the phrases for why webhooks and mails are held.
var holdTexts = map[installation.HoldReason]string{
	installation.HoldRestored: "system.held.restored", installation.HoldCopied: "system.held.copied",
	installation.HoldOlder: "system.held.older", installation.HoldMoved: "system.held.moved",
	installation.HoldAsked: "system.held.asked",
}

// HoldText says why webhooks and mails are held.
func (v systemView) HoldText() string { return v.Text(holdTexts[v.Held.Reason]) }

// ClockText says what is wrong with the clock.
func (v systemView) ClockText() string {
	switch {
	case v.ClockDoubt.OffSeconds < 0:
		return v.Text("system.clock.behind")
	case v.ClockDoubt.Refused:
		return v.Text("system.clock.ahead")
	}
	return v.Text("system.clock.waiting")
}

// EngineName returns the name of the database.
func (v systemView) EngineName() string {
	return map[string]string{"sqlite": "SQLite", "postgres": "PostgreSQL", "citus": "Citus"}[v.Engine]
}

// zoneSources are the phrases for where time zone data are from.
var zoneSources = map[string]string{"program": "system.zones.program", "system": "system.zones.system"}

// ZonesSource returns the phrase for where the time zone data are from.
func (v systemView) ZonesSource() string { return zoneSources[v.TimeZones.Source] }

// ShortCommit returns the beginning of the commit; empty if it is not known.
func (v systemView) ShortCommit() string {
	if v.Commit == nil {
		return ""
	}
	return (*v.Commit)[:min(len(*v.Commit), 12)]
}

// Bytes returns a size in words.
func (v systemView) Bytes(n int64) string { return v.Language.Bytes(n) }

// queue is something that waits, as the phrase of its name and how much of it there is.
type queue struct {
	Key   string
	Count int
}

// Waiting returns what waits on the node that answers.
func (v systemView) Waiting() []queue {
	q := v.Queues
	return []queue{
		{"system.events_ready", q.EventsReady}, {"system.events_under_way", q.EventsUnderWay},
		{"system.events_waiting", q.EventsWaiting}, {"system.outcomes_to_save", q.OutcomesToSave},
		{"system.partners_blocked", q.PartnersBlocked},
	}
}

// disk is a disk with how full it is.
type disk struct {
	installation.Disk
	Key    string // the phrase for what it holds
	Danger bool   // it is nearly full
}

// diskNames are the phrases for what disks hold.
var diskNames = map[string]string{"data": "system.disk.data", "proofs": "system.disk.proofs"}

// Used returns how much of the disk is used, in bytes.
func (d disk) Used() int64 { return d.TotalBytes - d.FreeBytes }

// Filling returns the disks of the node that answers.
func (v systemView) Filling() []disk {
	const nearlyFull = 10 // percent are free
	disks := make([]disk, len(v.Disks))
	for i, d := range v.Disks {
		disks[i] = disk{d, diskNames[d.Holds], d.FreeBytes*100 < d.TotalBytes*nearlyFull}
	}
	return disks
}

// Reason says why the node is not ready, in words that the phrasebook may lack.
func (v systemView) Reason(r installation.Reason) string {
	if key := "reason." + r.Reason; page.Has(key) {
		return v.Text(key)
	}
	return r.Reason
}

// Backup returns the time of the last backup; zero if there is none.
func (v systemView) Backup() time.Time {
	if v.LastBackupAt == nil {
		return time.Time{}
	}
	return *v.LastBackupAt
}

func (pages *Pages) system(s *sheet) (int, []byte, error) {
	return pages.showSystem(s, http.StatusOK, "", nil)
}

// showSystem shows the page, with the result of a trial if one was made.
func (pages *Pages) showSystem(s *sheet, status int, made string, result *TrialResult) (int, []byte, error) {
	state, err := pages.config.Installation(s.Context())
	if err != nil {
		return 0, nil, err
	}
	view := systemView{sheet: s, State: state}
	if state.ClockDoubt != nil && state.ClockDoubt.Refused {
		if view.Accept, err = s.form(acceptClockPath, 0); err != nil {
			return 0, nil, err
		}
	}
	if state.Held != nil {
		if view.Resume, err = s.form(resumePath, 0); err != nil {
			return 0, nil, err
		}
	}
	if err := view.addTrials(made, result); err != nil {
		return 0, nil, err
	}
	if view.Nightly, err = s.exports(exportPath); err != nil {
		return 0, nil, err
	}
	if err := view.addBackups(); err != nil {
		return 0, nil, err
	}
	return s.show(leaf{
		template: "system", title: s.Text("console.system"), data: view, status: status,
		action: &page.Link{Text: s.Text("system.again"), Path: systemPath},
	})
}

// acceptClock has data age by the clock of the machine again.
func (pages *Pages) acceptClock(s *sheet) (int, []byte, error) {
	if err := pages.config.AcceptClock(s.Context()); err != nil {
		return 0, nil, err
	}
	return s.LeadTo(systemPath, page.Flash{Key: "system.clock.accepted"})
}

// resume has webhooks and mails sent again.
func (pages *Pages) resume(s *sheet) (int, []byte, error) {
	if err := pages.config.Resume(s.Context()); err != nil {
		return 0, nil, err
	}
	return s.LeadTo(systemPath, page.Flash{Key: "system.resumed"})
}
