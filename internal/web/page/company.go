package page

// domainProblems are the phrases for why a domain of a company sign-in is not proven.
var domainProblems = map[string]string{
	"": "company.domain.unchecked", "no_record": "company.domain.no_record", "other_record": "company.domain.other_record",
	"no_answer": "company.domain.no_answer", "taken": "company.domain.taken",
}

// DomainProblem returns the phrase for why a domain of a company sign-in is not proven.
func DomainProblem[P ~string](problem P) string { return domainProblems[string(problem)] }
