package store

import (
	"strconv"
	"strings"
	"time"
)

// conditions gathers the conditions of a WHERE clause and their parameters. In
// SQL that is given to it, each ? stands for the next of the values.
type conditions struct {
	parts []string
	args  []any
}

// ofPartner begins with the condition that selects the rows of one partner.
func ofPartner(partnerID string) *conditions {
	c := &conditions{}
	c.add("partner_id = ?", partnerID)
	return c
}

// add adds a condition.
func (c *conditions) add(condition string, values ...any) {
	c.parts = append(c.parts, c.number(condition, values))
}

// addText adds a condition on a text, unless the text is empty.
func (c *conditions) addText(condition, value string) {
	if value != "" {
		c.add(condition, value)
	}
}

// addTime adds a condition on a time, unless that is zero.
func (c *conditions) addTime(condition string, at time.Time) {
	if !at.IsZero() {
		c.add(condition, at)
	}
}

// addAny adds a condition that holds if any of the given ones does. at is the
// value of every ? in them.
func (c *conditions) addAny(either []string, at any) {
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
func (c *conditions) number(sql string, values []any) string {
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
func (c *conditions) String() string {
	if len(c.parts) == 0 {
		return "1 = 1"
	}
	return strings.Join(c.parts, " AND ")
}

// clause returns the WHERE clause and what follows it, and the parameters of
// both.
func (c *conditions) clause(rest string, values ...any) (sql string, args []any) {
	rest = c.number(rest, values)
	return "WHERE " + c.String() + " " + rest, c.args
}
