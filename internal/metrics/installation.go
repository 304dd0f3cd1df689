package metrics

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/prometheus/client_golang/prometheus"
)

// Installation is what is read of the installation at each scrape.
type Installation struct {
	// Reasons returns why this node is not ready; none if it is.
	Reasons func(context.Context) []installation.Reason
	// Disks returns the disks that this node writes to.
	Disks func() ([]installation.Disk, error)
	// Delays returns what keeps orders from being settled on this node.
	Delays func() order.Delays
	// LastBackup returns when the embedded database was last backed up; nil if never. It
	// is nil itself with another database.
	LastBackup func() (*time.Time, error)
	// Held reports whether webhooks and mails are held.
	Held func() bool
	// DaysBehind returns how many days are due to be exported and were not; 0 if the service exports none.
	DaysBehind func(context.Context) (int, error)
}

// WatchInstallation reads at each scrape whether the service is ready, and what it stands on.
func (m *Metrics) WatchInstallation(i Installation) {
	m.registry.MustRegister(installationCollector{i})
}

var (
	readyDesc = prometheus.NewDesc("dropyard_ready",
		"1 if this node should get requests, as GET /v1/ready says; otherwise 0.", nil, nil)
	notReadyDesc = prometheus.NewDesc("dropyard_not_ready",
		"1 if this node is not ready for the reason, otherwise 0.", []string{"reason"}, nil)
	heldDesc = prometheus.NewDesc("dropyard_messages_held",
		"1 if webhooks and mails are held until an admin resumes them, otherwise 0.", nil, nil)
	blockedDesc = prometheus.NewDesc("dropyard_order_partners_blocked",
		"Partners whose orders wait because other transactions have locked their rows.", nil, nil)
	diskFreeDesc = prometheus.NewDesc("dropyard_disk_free_bytes",
		"Free space of a disk that this node writes to, by what it holds.", []string{"holds"}, nil)
	diskSizeDesc = prometheus.NewDesc("dropyard_disk_size_bytes",
		"Size of a disk that this node writes to, by what it holds.", []string{"holds"}, nil)
	lastBackupDesc = prometheus.NewDesc("dropyard_last_backup_timestamp_seconds",
		"Time of the last dropyard backup of the embedded database, in Unix time; 0 if there is none.", nil, nil)
	exportDesc = prometheus.NewDesc("dropyard_exports_late",
		"Days whose files are due in the place of --export-to and were not written.", nil, nil)
)

// installationCollector reads the installation when it is asked.
type installationCollector struct{ Installation }

// Describe implements prometheus.Collector.
func (c installationCollector) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		readyDesc, notReadyDesc, heldDesc, blockedDesc, diskFreeDesc, diskSizeDesc, lastBackupDesc, exportDesc,
	} {
		out <- desc
	}
}

// Collect implements prometheus.Collector.
func (c installationCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	c.readiness(ctx, out)
	out <- gauge(heldDesc, number(c.Held()))
	out <- gauge(blockedDesc, float64(c.Delays().Blocked))
	c.disks(out)
	c.exports(ctx, out)
	if c.LastBackup != nil {
		c.lastBackup(out)
	}
}

func (c installationCollector) readiness(ctx context.Context, out chan<- prometheus.Metric) {
	reasons := c.Reasons(ctx)
	out <- gauge(readyDesc, number(len(reasons) == 0))
	for _, word := range installation.Words {
		present := slices.ContainsFunc(reasons, func(r installation.Reason) bool { return r.Reason == word })
		out <- gauge(notReadyDesc, number(present), word)
	}
}

func (c installationCollector) disks(out chan<- prometheus.Metric) {
	disks, err := c.Disks()
	if err != nil {
		out <- prometheus.NewInvalidMetric(diskFreeDesc, err)
		return
	}
	for _, disk := range disks {
		out <- gauge(diskFreeDesc, float64(disk.FreeBytes), disk.Holds)
		out <- gauge(diskSizeDesc, float64(disk.TotalBytes), disk.Holds)
	}
}

func (c installationCollector) exports(ctx context.Context, out chan<- prometheus.Metric) {
	behind, err := c.DaysBehind(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(exportDesc, err)
		return
	}
	out <- gauge(exportDesc, float64(behind))
}

func (c installationCollector) lastBackup(out chan<- prometheus.Metric) {
	at, err := c.LastBackup()
	switch {
	case err != nil:
		out <- prometheus.NewInvalidMetric(lastBackupDesc, err)
	case at == nil:
		out <- gauge(lastBackupDesc, 0)
	default:
		out <- gauge(lastBackupDesc, float64(at.Unix()))
	}
}

func number(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
