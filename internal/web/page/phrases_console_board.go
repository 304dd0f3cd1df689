package page

// consoleBoardPhrases are those of the dispatch board.
var consoleBoardPhrases = map[string]phrase{}
