"""Characters that move a cursor, break a line or cannot be encoded, and JSON without them."""

from __future__ import annotations

import json
import re

__all__ = ["CONTROL", "json_line"]

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def json_line(content: object) -> str:
    """`content` as one line of JSON, without its end; what is no number for a strict parser is refused."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
