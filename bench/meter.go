package main

// meter measures what processes use in a window. Its hook is called at both ends.
// Without processes it measures nothing.
type meter struct {
	pids     []int
	children bool // the processes' children count too
	readings []spent
}

func (m *meter) hook() error {
	var sum spent
	for _, pid := range m.pids {
		s, err := spentBy(pid, m.children)
		if err != nil {
			return err
		}
		sum.cpu += s.cpu
		sum.written += s.written
	}
	m.readings = append(m.readings, sum)
	return nil
}

// used returns what was used between the last two calls of hook.
func (m *meter) used() spent {
	n := len(m.readings)
	if n < 2 {
		return spent{}
	}
	from, to := m.readings[n-2], m.readings[n-1]
	return spent{to.cpu - from.cpu, to.written - from.written}
}

// databaseMeter returns a meter of a database's server, if there is one.
func databaseMeter(pid int) *meter {
	if pid == 0 {
		return &meter{}
	}
	return &meter{pids: []int{pid}, children: true}
}
