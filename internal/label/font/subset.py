#!/usr/bin/env python3
"""Makes the fonts of the labels from Liberation Sans (needs fonttools):

    python3 subset.py LiberationSans-Regular.ttf regular.ttf
    python3 subset.py LiberationSans-Bold.ttf bold.ttf

It keeps the Latin, Greek and Cyrillic that label printers have, and drops hints and
layout tables, because a PDF with such texts is made by reading the whole of a font.
The fonts' licence reserves the name Liberation, so the results have another one.

Most labels need only the characters of Windows-1252. A third argument keeps no others.
Then makefont writes the widths (.json) and the compressed font (.z), which go into such
PDFs as they are:

    python3 subset.py LiberationSans-Regular.ttf latin-regular.ttf cp1252
    python3 subset.py LiberationSans-Bold.ttf latin-bold.ttf cp1252
    go run codeberg.org/go-pdf/fpdf/makefont -embed \\
        -enc "$(go list -m -f '{{.Dir}}' codeberg.org/go-pdf/fpdf)/font/cp1252.map" \\
        latin-regular.ttf latin-bold.ttf
"""

import sys

from fontTools import subset, ttLib

CHARACTERS = [
    (0x0020, 0x007E), (0x00A1, 0x00AC), (0x00AE, 0x017F), (0x0192, 0x0192), (0x01CD, 0x01DC),  # Latin
    (0x01FA, 0x01FF), (0x0218, 0x021B), (0x1E80, 0x1E85), (0x1EF2, 0x1EF3),
    (0x0384, 0x038A), (0x038C, 0x038C), (0x038E, 0x03A1), (0x03A3, 0x03CE),  # Greek
    (0x0400, 0x045F), (0x0490, 0x0491),  # Cyrillic
    (0x2013, 0x2015), (0x2017, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026), (0x2030, 0x2030),
    (0x2032, 0x2033), (0x2039, 0x203A), (0x2044, 0x2044), (0x20AC, 0x20AC), (0x2116, 0x2116),
    (0x2122, 0x2122), (0x215B, 0x215E), (0x2212, 0x2212), (0x25A1, 0x25A1),
]
NAME = "Dropyard Label"
FAMILY, UNIQUE, FULL, POSTSCRIPT = 1, 3, 4, 6
COPYRIGHT, STYLE, LICENCE, LICENCE_URL = 0, 2, 13, 14


def kept(encoding: str) -> list[int]:
    every = (c for first, last in CHARACTERS for c in range(first, last + 1))
    return [c for c in every if chr(c).encode(encoding, "ignore")]


def main(source: str, target: str, encoding: str = "utf-8") -> None:
    font = ttLib.TTFont(source, recalcTimestamp=False)
    options = subset.Options(hinting=False, layout_features=[], glyph_names=False, recalc_timestamp=False)
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "kern", "gasp", "FFTM"]
    options.name_IDs = [COPYRIGHT, FAMILY, STYLE, UNIQUE, FULL, POSTSCRIPT, LICENCE, LICENCE_URL]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=kept(encoding))
    subsetter.subset(font)
    style = font["name"].getDebugName(STYLE)
    for entry in font["name"].names:
        if entry.nameID in (FAMILY, UNIQUE, FULL, POSTSCRIPT):
            entry.string = {FAMILY: NAME, POSTSCRIPT: f"{NAME}-{style}".replace(" ", "")}.get(entry.nameID, f"{NAME} {style}")
    font.save(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
