#!/usr/bin/env python3
"""Writes the time zones of Canada from a release of the IANA time zone database.

    python3 internal/foundation/zone/renew.py            # the latest release
    python3 internal/foundation/zone/renew.py 2026.6     # that one

The data come from the package tzdata of PyPI, which holds the files as the compiler of
the database (zic) writes them. Needs pip.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"
FILES = "tzdata/zoneinfo/"
# Zones that distributions and people still name, although the database has made them
# links to others.
LINKS = [
    "America/Yellowknife", "America/Montreal", "America/Thunder_Bay", "America/Rainy_River", "America/Pangnirtung",
    "Canada/Atlantic", "Canada/Central", "Canada/Eastern", "Canada/Mountain", "Canada/Newfoundland", "Canada/Pacific",
    "Canada/Saskatchewan", "Canada/Yukon",
]


def download(folder: str, release: str) -> zipfile.ZipFile:
    package = f"tzdata=={release}" if release else "tzdata"
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", folder, package],
        check=True,
    )
    (wheel,) = pathlib.Path(folder).glob("tzdata-*.whl")
    return zipfile.ZipFile(wheel)


def canadian(wheel: zipfile.ZipFile) -> list[str]:
    rows = wheel.read(FILES + "zone.tab").decode().splitlines()
    cells = [row.split("\t") for row in rows if not row.startswith("#")]
    return sorted({row[2] for row in cells if row[0] == "CA"} | set(LINKS))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        wheel = download(folder, "".join(sys.argv[1:2]))
        index = FILES + "tzdata.zi"
        version = wheel.read(index).decode().split("\n", 1)[0].removeprefix("# version ")
        year, month, day = wheel.getinfo(index).date_time[:3]
        shutil.rmtree(DATA, ignore_errors=True)
        names = canadian(wheel)
        for name in names:
            path = DATA / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wheel.read(FILES + name))
        (DATA / "version").write_text(f"{version} {year}-{month:02}-{day:02}\n")
        print(f"{version}: {len(names)} zones")


main()
