"""Makes the modules of the synchronous client from those of the asynchronous one.

python generate.py writes them; python generate.py --check fails if they are not up to date. It needs ruff.
"""

import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "src" / "dropyard"
MODULES = {"async_client.py": "client.py", "_async_feed.py": "_feed.py", "_async_http.py": "_http.py"}
RULES = [
    (r"\bawait ", ""),
    (r"\basync (def|for|with)\b", r"\1"),
    (r"\bAwaitable\[(\w+)\]", r"\1"),
    (r"\bAsync([A-Z]\w+)", r"\1"),
    (r"\b_async_(http|feed)\b", r"_\1"),
    (r"\basync_client\b", "client"),
    (r"\baclose\b", "close"),
    (r"__a(enter|exit|iter)__", r"__\1__"),
    (r"\basyncio\b", "time"),
    (r"for element in (.+):\n +yield element", r"yield from \1"),
]


def synchronous(source: str) -> str:
    """Return the synchronous module of an asynchronous one."""
    text = (FOLDER / source).read_text("utf-8")
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    text = f"# Made from {source} by generate.py; edit that instead.\n{text}"
    name = str(FOLDER / MODULES[source])
    for command in (["check", "--fix", "--quiet"], ["format", "--quiet"]):
        arguments = [sys.executable, "-m", "ruff", *command, "--stdin-filename", name, "-"]
        text = subprocess.run(arguments, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main() -> int:
    """Write the modules, or compare them, and return the exit code."""
    check, code = "--check" in sys.argv, 0
    for source, target in MODULES.items():
        text, path = synchronous(source), FOLDER / target
        if not check:
            path.write_text(text, "utf-8")
        elif path.read_text("utf-8") != text:
            print(f"{target} is not what generate.py makes of {source}: run it")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
