package store

import "context"

// setting is a value that belongs to the whole installation.
type setting struct{ name, value string }

var (
	serviceSettings = newTable("settings",
		key(text("name", func(s *setting) *string { return &s.name })),
		text("value", func(s *setting) *string { return &s.value }),
	)
	addServiceSettings = serviceSettings.insert()
	setServiceSettings = serviceSettings.upsert()
	// lockServiceSettings waits for a transaction that is writing a setting.
	lockServiceSettings = lockBy(byID("name"), serviceSettings)
)

// Setting returns a setting of the whole installation; empty if it was never
// set.
func (s *Store) Setting(ctx context.Context, name string) (value string, err error) {
	err = s.engine.read(ctx, func(c conn) error {
		value, err = settingIn(ctx, c, name)
		return err
	})
	return value, err
}

// SetSetting writes a setting.
func (s *Store) SetSetting(ctx context.Context, name, value string) error {
	return s.engine.write(ctx, func(c conn) error {
		_, err := writeNow(ctx, c, setServiceSettings, &setting{name, value})
		return err
	})
}

// AddSetting writes a setting unless there is one, and returns the value that is
// stored: of several nodes that add it at once, that of the first.
func (s *Store) AddSetting(ctx context.Context, name, value string) (stored string, err error) {
	err = s.engine.write(ctx, func(c conn) error {
		if _, err := writeNow(ctx, c, addServiceSettings, &setting{name, value}); err != nil {
			return err
		}
		stored, err = settingIn(ctx, c, name)
		return err
	})
	return stored, err
}

// ReplaceSetting writes a setting if it still has the value before, and reports whether
// it had.
func (s *Store) ReplaceSetting(ctx context.Context, name, before, value string) (replaced bool, err error) {
	err = s.engine.write(ctx, func(c conn) error {
		replaced, err = replaceSettingIn(ctx, c, name, before, value)
		return err
	})
	return replaced, err
}

func replaceSettingIn(ctx context.Context, c conn, name, before, value string) (replaced bool, err error) {
	rows, err := c.exec(ctx, "UPDATE settings SET value = $1 WHERE name = $2 AND value = $3", value, name, before)
	return rows == 1, err
}

func settingIn(ctx context.Context, c conn, name string) (string, error) {
	row, err := serviceSettings.one(ctx, c, "WHERE name = $1", name)
	if err != nil || row == nil {
		return "", err
	}
	return row.value, nil
}
