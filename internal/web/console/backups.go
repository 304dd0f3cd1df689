package console

import (
	"time"

	"github.com/dropyard/dropyard/internal/backups"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web/page"
)

const backupPath = systemPath + "/backup"

// backupsView is what the page about the installation shows of backups.
type backupsView struct {
	*sheet
	backups.State
	Place    string
	KeepMost int
	Now      *page.Form // begins a backup; nil while one is being made
}

// Took returns how long a backup took, as people read it.
func (v backupsView) Took(made backups.Made) string {
	took := time.Duration(made.Seconds * float64(time.Second)).Round(time.Second)
	if took < 2*time.Minute {
		return v.Text("system.backup.seconds", "n", v.Language.Number(int(took.Seconds())))
	}
	return v.Text("system.backup.minutes", "n", v.Language.Number(int(took.Round(time.Minute).Minutes())))
}

// DailyAt returns the time of day of the schedule.
func (v backupsView) DailyAt() string { return v.Language.Clock(v.Daily) }

// DailyIn returns the time zone of the schedule.
func (v backupsView) DailyIn() string { return v.Daily.Location().String() }

// addBackups adds what is known of backups, if the service makes them.
func (v *systemView) addBackups() (err error) {
	service := v.pages.config.Backups
	if service == nil {
		return nil
	}
	view := &backupsView{sheet: v.sheet, State: service.State(), Place: service.Place(), KeepMost: service.Keep()}
	if view.Running.IsZero() {
		if view.Now, err = v.form(backupPath, 0); err != nil {
			return err
		}
	}
	v.Backups = view
	return nil
}

// backUp begins a backup.
func (pages *Pages) backUp(s *sheet) (int, []byte, error) {
	if pages.config.Backups == nil {
		return 0, nil, refusal.NotFound("this page")
	}
	if err := pages.config.Backups.Start(); err != nil {
		return s.LeadTo(systemPath, page.Flash{Key: "system.backup.already", Danger: true})
	}
	return s.LeadTo(systemPath, page.Flash{Key: "system.backup.begun"})
}
