package delivery

import (
	"strconv"
	"strings"
)

const statementPrefix = "stm_"

// StatementID returns the id of a statement: that of its partner, as in the ids of orders, and its number.
func StatementID(partnerID string, number int64) string {
	return statementPrefix + strings.TrimPrefix(partnerID, partnerPrefix) + "_" + strconv.FormatInt(number, 10)
}

// ParseStatementID returns the partner and the number of a statement. It is false for a text that is not the id of
// one.
func ParseStatementID(id string) (partnerID string, number int64, ok bool) {
	tag, digits, ok := strings.Cut(strings.TrimPrefix(id, statementPrefix), "_")
	number, err := strconv.ParseInt(digits, 10, 64)
	partnerID = partnerPrefix + tag
	return partnerID, number, ok && err == nil && number > 0 && StatementID(partnerID, number) == id
}
