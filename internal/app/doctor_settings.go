package app

import (
	"net"
	"net/url"
	"time"

	"github.com/dropyard/dropyard/internal/backups"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/exports"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/foundation/zone"
)

// checkSettings finds settings that harm an installation that others can reach, and
// notes those that are easily forgotten.
func (d *Diagnosis) checkSettings(settings *config.Config) {
	d.checkCertificate(settings, time.Now())
	host := publicHost(settings)
	if host == "" || machine.IsLoopback(host) {
		d.note("only this machine is meant to reach the service: --base-url names no other address")
		return
	}
	if settings.Demo {
		d.find("--demo is set, and %s is not this machine: others can reach the sample accounts; start without it", host)
	}
	if settings.WebhookInsecure {
		d.find("--webhook-allow-insecure is set, and %s is not this machine: partners can make the service send requests to it; start without it", host)
	}
	if !settings.Secure() {
		d.find("the public address %s is not https, so passwords and cookies travel in the clear: put a proxy with TLS in front and set --base-url to its https address, or set --tls-domain or --tls-cert", settings.Public(listenAddress(settings)))
	} else if len(settings.TrustedProxies) == 0 && !settings.TLS() {
		d.note("--trusted-proxies is not set: behind a proxy all clients share its limits per address")
	}
	if settings.SMTP == "" {
		d.note("--smtp is not set: no mails are sent, and people cannot reset their passwords by themselves")
	}
	if settings.Registration == "" || settings.Registration == "open" {
		d.note("--registration is open: anyone can register a partner account; --registration approval is recommended where strangers can reach the service")
		if settings.NewAccountBytes == 0 {
			d.note("--new-account-bytes is 0: anyone can fill the disk with orders")
		}
		if settings.RegistrationLimit == 0 {
			d.note("--registration-limit is 0: anyone can register any number of accounts")
		}
	}
	if settings.Simulate {
		d.note("--simulate is set: live orders are moved automatically")
	}
	if settings.MetricsListen == "" {
		d.note("--metrics-listen is not set: nothing can watch the service")
	}
}

// publicHost returns the host by which clients reach the service.
func publicHost(settings *config.Config) string {
	public, err := url.Parse(settings.Public(listenAddress(settings)))
	if err != nil {
		return ""
	}
	return public.Hostname()
}

// listenAddress returns the address of the settings as one that a service listens on.
func listenAddress(settings *config.Config) net.Addr { return textAddress(settings.Listen) }

type textAddress string

func (textAddress) Network() string  { return "tcp" }
func (a textAddress) String() string { return string(a) }

// backupOld is when a backup is worth a note.
const backupOld = 48 * time.Hour

func (d *Diagnosis) checkBackup(settings *config.Config) {
	at, err := lastBackup(settings)
	switch {
	case err != nil:
		d.find("%v", err)
	case at == nil && settings.Backups != "":
		d.note("--backups is set, but no backup has been made yet: press Back up now on the system page, which tries the place")
	case at == nil:
		d.note("dropyard backup has never copied this database")
	case time.Since(*at) > backupOld:
		d.note("the last dropyard backup is %d hours old", int(time.Since(*at).Hours()))
	}
	latest, err := backups.Latest(settings.Database() + backupsFile)
	switch {
	case err != nil:
		d.note("the list of backups cannot be read: %v", err)
	case latest != nil && latest.Error != "":
		d.note("the latest backup to --backups failed at %s: %s", timestamp.Format(latest.At), latest.Error)
	}
}

// checkExports notes why the latest attempt to export a day has failed.
func (d *Diagnosis) checkExports(setting string) {
	var state exports.State
	switch err := strictjson.Unmarshal([]byte(setting), &state); {
	case setting == "":
	case err != nil:
		d.find("the state of exports cannot be read: %v", err)
	case state.Error != "":
		d.note("the latest export of a day failed at %s: %s", timestamp.Format(state.FailedAt), state.Error)
	}
}

// checkZones checks the time zones. unused is why newer ones of the system are not used.
func (d *Diagnosis) checkZones(zones *zone.Database, unused error, now time.Time) {
	if unused != nil {
		d.find("%v: install the time zones of the system again", unused)
	}
	from := "the program"
	if zones.Folder != "" {
		from = zones.Folder
	}
	d.note("the time zones are those of %s, from %s", zones.Version, from)
	if zones.Old(now) {
		d.note("the time zones may be more than a year old, and clocks may have changed since: update dropyard, or the time zones of the system, and restart the service")
	}
}

// fewFiles is less than a busy node needs: each connection is a file.
const fewFiles = 4096

// checkFileLimit checks how many files a process may open that is started as this one.
// Go raises the soft limit to the hard one.
func (d *Diagnosis) checkFileLimit() {
	if most := mostFiles(); most != 0 && most < fewFiles {
		d.find(
			"a process may open %d files, and each connection is one: allow at least %d (ulimit -Hn, LimitNOFILE= of systemd)",
			most, fewFiles,
		)
	}
}
