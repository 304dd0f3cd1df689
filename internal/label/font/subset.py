#!/usr/bin/env python3
"""Makes the fonts of the labels (needs fonttools). All results have names of their own,
because the licence of Liberation Sans reserves its name.

Most labels need only the characters of Windows-1252. They are from Liberation Sans, whose
widths are those of common printer fonts:

    python3 subset.py latin LiberationSans-Regular.ttf latin-regular.ttf
    python3 subset.py latin LiberationSans-Bold.ttf latin-bold.ttf
    go run codeberg.org/go-pdf/fpdf/makefont -embed \\
        -enc "$(go list -m -f '{{.Dir}}' codeberg.org/go-pdf/fpdf)/font/cp1252.map" \\
        latin-regular.ttf latin-bold.ttf

makefont writes the widths (.json) and the compressed font (.z), which go into such PDFs as
they are.

All other characters are from Noto Sans and Noto Sans Canadian Aboriginal, merged and
compressed:

    python3 subset.py extended NotoSans-Regular.ttf NotoSansCanadianAboriginal-Regular.ttf extended-regular.z
    python3 subset.py extended NotoSans-Bold.ttf NotoSansCanadianAboriginal-Bold.ttf extended-bold.z

They keep the tables that place accents over and under letters (mark, mkmk). Hints and other
layout tables are dropped.
"""

import io
import sys
import zlib

from fontTools import merge, subset, ttLib
from fontTools.pens import ttGlyphPen

LATIN = [
    (0x0020, 0x007E), (0x00A1, 0x00AC), (0x00AE, 0x00FF), (0x0152, 0x0153), (0x0160, 0x0161), (0x0178, 0x0178),
    (0x017D, 0x017E), (0x0192, 0x0192), (0x2013, 0x2014), (0x2018, 0x201A),
    (0x201C, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026), (0x2030, 0x2030), (0x2039, 0x203A), (0x20AC, 0x20AC),
    (0x2122, 0x2122),
]
EXTENDED = [
    (0x0020, 0x007E), (0x00A1, 0x00AC), (0x00AE, 0x02FF),  # Latin, the letters of IPA, modifiers
    (0x0300, 0x036F),  # accents
    (0x0370, 0x03FF), (0x1F00, 0x1FFF),  # Greek
    (0x0400, 0x052F),  # Cyrillic
    (0x1D00, 0x1DBF), (0x1DC4, 0x1DCF), (0x1E00, 0x1EFF),  # phonetic letters, more Latin
    (0x2010, 0x2015), (0x2017, 0x2026), (0x2030, 0x203A), (0x2044, 0x2044), (0x2070, 0x209C), (0x20A0, 0x20BF),
    (0x2113, 0x2113), (0x2116, 0x2117), (0x2120, 0x2122), (0x2126, 0x2126), (0x2150, 0x215F), (0x2184, 0x2184),
    (0x2212, 0x2212),  # punctuation, fractions
    (0x2C60, 0x2C7F), (0xA720, 0xA7FF), (0xAB30, 0xAB6F), (0xFB00, 0xFB06),  # more Latin, ligatures
]
SYLLABICS = [(0x1400, 0x167F), (0x18B0, 0x18FF)]

FAMILY, UNIQUE, FULL, POSTSCRIPT = 1, 3, 4, 6
COPYRIGHT, STYLE, LICENCE, LICENCE_URL = 0, 2, 13, 14


def part(path: str, ranges: list[tuple[int, int]], features: list[str]) -> ttLib.TTFont:
    font = ttLib.TTFont(path, recalcTimestamp=False)
    options = subset.Options(hinting=False, layout_features=features, glyph_names=False, recalc_timestamp=False)
    options.drop_tables += ["GSUB", "kern", "gasp", "FFTM"] + ([] if features else ["GPOS", "GDEF"])
    options.name_IDs = [COPYRIGHT, FAMILY, STYLE, UNIQUE, FULL, POSTSCRIPT, LICENCE, LICENCE_URL]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[c for first, last in ranges for c in range(first, last + 1)])
    subsetter.subset(font)
    return font


def rename(font: ttLib.TTFont, name: str) -> None:
    style = font["name"].getDebugName(STYLE)
    names = {FAMILY: name, UNIQUE: f"{name} {style}", FULL: f"{name} {style}", POSTSCRIPT: f"{name}-{style}".replace(" ", "")}
    for entry in font["name"].names:
        entry.string = names.get(entry.nameID, entry.string)


def add_box(font: ttLib.TTFont) -> None:
    """Adds the sign for characters that are missing, which Noto Sans has not."""
    wide, tall, line, side = 740, 640, 60, 50
    pen = ttGlyphPen.TTGlyphPen(None)
    for inset, order in ((0, 1), (line, -1)):
        left, right, low, high = side + inset, wide - side - inset, inset, tall - inset
        corners = [(left, low), (left, high), (right, high), (right, low)][::order]
        pen.moveTo(corners[0])
        for corner in corners[1:]:
            pen.lineTo(corner)
        pen.closePath()
    name = "uni25A1"
    font.setGlyphOrder(font.getGlyphOrder() + [name])
    font["glyf"][name] = pen.glyph()
    font["hmtx"][name] = (wide, side)
    font["maxp"].numGlyphs += 1
    for table in font["cmap"].tables:
        table.cmap[0x25A1] = name


def latin(source: str, target: str) -> None:
    font = part(source, LATIN, [])
    rename(font, "Dropyard Label")
    font.save(target)


def extended(source: str, syllabics: str, target: str) -> None:
    parts = []
    for font in (part(source, EXTENDED, ["mark", "mkmk"]), part(syllabics, SYLLABICS, [])):
        parts.append(io.BytesIO())
        font.save(parts[-1])
    font = merge.Merger().merge(parts)
    add_box(font)
    rename(font, "Dropyard Label Extended")
    font["head"].modified = font["head"].created
    merged = io.BytesIO()
    font.recalcTimestamp = False
    font.save(merged)
    with open(target, "wb") as file:
        file.write(zlib.compress(merged.getvalue(), 9))


if __name__ == "__main__":
    {"latin": latin, "extended": extended}[sys.argv[1]](*sys.argv[2:])
