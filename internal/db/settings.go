package db

import "context"

// setting is a value that belongs to the whole installation.
type setting struct{ name, value string }

var (
	// SettingsTable is the table of the settings.
	SettingsTable = NewTable("settings",
		Key(Text("name", func(s *setting) *string { return &s.name })),
		Text("value", func(s *setting) *string { return &s.value }),
	)
	addServiceSettings  = SettingsTable.Insert()
	setServiceSettings  = SettingsTable.Upsert()
	findServiceSettings = LookUpBy(ByID("name"), SettingsTable)
	// lockServiceSettings waits for a transaction that is writing a setting.
	lockServiceSettings = LockBy(ByID("name"), SettingsTable)
)

// FoundSettings is what a look-up of settings in a pipeline will have found.
type FoundSettings struct{ rows *Found[*setting] }

// FindSettings queues a look-up of settings by their names.
func FindSettings(p *Pipeline, names ...string) FoundSettings {
	return FoundSettings{Find(p, findServiceSettings, names)}
}

// After returns the values by name; a setting that was never set is left out.
func (f FoundSettings) After(done Flushed) map[string]string {
	values := map[string]string{}
	for _, row := range f.rows.After(done) {
		values[row.name] = row.value
	}
	return values
}

// Settings are the values that belong to the whole installation, in one transaction.
type Settings struct{ conn Conn }

// SettingsIn returns the settings in a transaction.
func SettingsIn(c Conn) Settings { return Settings{c} }

// Get returns a setting; empty if it was never set.
func (s Settings) Get(ctx context.Context, name string) (string, error) {
	row, err := SettingsTable.One(ctx, s.conn, "WHERE name = $1", name)
	if err != nil || row == nil {
		return "", err
	}
	return row.value, nil
}

// Lock returns what Get does, locked until the transaction ends: others who lock it wait, and read what this one
// leaves.
func (s Settings) Lock(ctx context.Context, name string) (string, error) {
	if _, err := s.Add(ctx, name, ""); err != nil {
		return "", err
	}
	if _, err := s.conn.Exec(ctx, "UPDATE settings SET value = value WHERE name = $1", name); err != nil {
		return "", err
	}
	return s.Get(ctx, name)
}

// Set writes a setting.
func (s Settings) Set(ctx context.Context, name, value string) error {
	_, err := WriteNow(ctx, s.conn, setServiceSettings, &setting{name, value})
	return err
}

// Add writes a setting unless there is one, and reports whether there was none.
func (s Settings) Add(ctx context.Context, name, value string) (added bool, err error) {
	rows, err := WriteNow(ctx, s.conn, addServiceSettings, &setting{name, value})
	return rows == 1, err
}

// Replace writes a setting if it still has the value before, and reports whether it had.
func (s Settings) Replace(ctx context.Context, name, before, value string) (replaced bool, err error) {
	rows, err := s.conn.Exec(ctx, "UPDATE settings SET value = $1 WHERE name = $2 AND value = $3", value, name, before)
	return rows == 1, err
}

// Remove removes a setting, if there is one.
func (s Settings) Remove(ctx context.Context, name string) error {
	_, err := s.conn.Exec(ctx, "DELETE FROM settings WHERE name = $1", name)
	return err
}

// Setting returns a setting of the whole installation; empty if it was never
// set.
func (d *Database) Setting(ctx context.Context, name string) (value string, err error) {
	err = d.engine.read(ctx, func(c Conn) error {
		value, err = SettingsIn(c).Get(ctx, name)
		return err
	})
	return value, err
}

// SetSetting writes a setting.
func (d *Database) SetSetting(ctx context.Context, name, value string) error {
	return d.engine.write(ctx, func(c Conn) error { return SettingsIn(c).Set(ctx, name, value) })
}

// AddSetting writes a setting unless there is one, and returns the value that is
// stored: of several nodes that add it at once, that of the first.
func (d *Database) AddSetting(ctx context.Context, name, value string) (stored string, err error) {
	err = d.engine.write(ctx, func(c Conn) error {
		if _, err := SettingsIn(c).Add(ctx, name, value); err != nil {
			return err
		}
		stored, err = SettingsIn(c).Get(ctx, name)
		return err
	})
	return stored, err
}

// ReplaceSetting writes a setting if it still has the value before, and reports whether
// it had.
func (d *Database) ReplaceSetting(ctx context.Context, name, before, value string) (replaced bool, err error) {
	err = d.engine.write(ctx, func(c Conn) error {
		replaced, err = SettingsIn(c).Replace(ctx, name, before, value)
		return err
	})
	return replaced, err
}
