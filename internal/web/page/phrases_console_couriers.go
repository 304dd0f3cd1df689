package page

// consoleCouriersPhrases are those of the records of couriers.
var consoleCouriersPhrases = map[string]phrase{}
