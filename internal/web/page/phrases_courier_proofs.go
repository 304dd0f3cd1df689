package page

// courierProofsPhrases are those of pictures, signatures and scanning in the courier's app.
var courierProofsPhrases = map[string]phrase{}
