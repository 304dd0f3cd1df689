package form

import "fmt"

// Texts reads a list of least to most strings that the rule allows.
func (f *Form) Texts(name string, presence Presence, least, most int, rule TextRule) []string {
	return listOf(f, name, presence, Text, least, most, func(s Source) (string, bool) {
		text := s.Text()
		return text, rule.Allows(text)
	}, func(s Source) Rule { return rule.Broken(s.Text()) })
}

// Integers reads a list of least to most whole numbers from smallest to largest.
func (f *Form) Integers(name string, presence Presence, least, most int, smallest, largest int64) []int64 {
	return listOf(f, name, presence, Number, least, most, func(s Source) (int64, bool) {
		number, ok := wholeNumber(s.Text())
		return number, ok && number >= smallest && number <= largest
	}, func(Source) Rule { return IntegerFrom(smallest, largest) })
}

// listOf reads a list of values of one kind. A list that is too long is one fault,
// and its elements are not read.
func listOf[T any](
	f *Form, name string, presence Presence, kind Kind, least, most int, read func(Source) (T, bool),
	rule func(Source) Rule,
) []T {
	found, _ := take(f, name, presence, List, func(s Source) ([]Source, bool) {
		elements := s.Elements()
		return elements, len(elements) >= least && len(elements) <= most
	}, func() Rule {
		if least == 1 {
			return elementsFromOne.With("most", most)
		}
		return elements.With("least", least, "most", most)
	})
	values := make([]T, len(found))
	for i, element := range found {
		value, ok := values[i], false
		if got := element.Kind(); got == kind || got == Typed && holds(kind, element.Text()) {
			value, ok = read(element)
		}
		if !ok {
			f.problems.Add(fmt.Sprintf("%s%s[%d]", f.path(), name, i), echo(element), rule(element))
		}
		values[i] = value
	}
	return values
}
