package db

import (
	"strconv"
	"strings"
	"time"
)

// Conditions gathers the conditions of a WHERE clause and their parameters. In
// SQL that is given to it, each ? stands for the next of the values.
type Conditions struct {
	parts []string
	args  []any
}

// OfPartner begins with the condition that selects the rows of one partner.
func OfPartner(partnerID string) *Conditions {
	c := &Conditions{}
	c.Add("partner_id = ?", partnerID)
	return c
}

// Add adds a condition.
func (c *Conditions) Add(condition string, values ...any) {
	c.parts = append(c.parts, c.number(condition, values))
}

// AddText adds a condition on a text, unless the text is empty.
func (c *Conditions) AddText(condition, value string) {
	if value != "" {
		c.Add(condition, value)
	}
}

// AddIn adds the condition that a column has one of some values.
func (c *Conditions) AddIn(column string, values []string) {
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")
	bound := make([]any, len(values))
	for i, value := range values {
		bound[i] = value
	}
	c.Add(column+" IN ("+marks+")", bound...)
}

// AddTime adds a condition on a time, unless that is zero.
func (c *Conditions) AddTime(condition string, at time.Time) {
	if !at.IsZero() {
		c.Add(condition, at)
	}
}

// AddAny adds a condition that holds if any of the given ones does. at is the
// value of every ? in them.
func (c *Conditions) AddAny(either []string, at any) {
	parts := make([]string, len(either))
	for i, condition := range either {
		values := make([]any, strings.Count(condition, "?"))
		for j := range values {
			values[j] = at
		}
		parts[i] = c.number(condition, values)
	}
	c.parts = append(c.parts, "("+strings.Join(parts, " OR ")+")")
}

// number replaces each ? by the number of its parameter.
func (c *Conditions) number(sql string, values []any) string {
	var text strings.Builder
	for _, value := range values {
		before, after, _ := strings.Cut(sql, "?")
		c.args = append(c.args, value)
		text.WriteString(before + "$" + strconv.Itoa(len(c.args)))
		sql = after
	}
	return text.String() + sql
}

// String returns the conditions, joined by AND.
func (c *Conditions) String() string {
	if len(c.parts) == 0 {
		return "1 = 1"
	}
	return strings.Join(c.parts, " AND ")
}

// Clause returns the WHERE clause and what follows it, and the parameters of
// both.
func (c *Conditions) Clause(rest string, values ...any) (sql string, args []any) {
	rest = c.number(rest, values)
	return "WHERE " + c.String() + " " + rest, c.args
}
