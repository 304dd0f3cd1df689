"""The vectors of signatures that all clients share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "signature_vectors.json").read_text(encoding="utf-8")
)
VECTORS_V2: dict[str, Any] = json.loads(
    (Path(__file__).parent / "signature_vectors_v2.json").read_text(encoding="utf-8")
)
