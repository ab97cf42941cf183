"""From a scalar of the file to a `Text` whose every character knows its place in the file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gradcli.document.tree import Scalar
from gradcli.errors import InputError, Place
from gradcli.language.source import Text

__all__ = ["check_characters", "text_of"]

_PIECE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\n[ \t]*|.)|.", re.DOTALL)
_ESCAPES = dict(zip('0abtnvfre "/\\N_LP\t', '\0\a\b\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029\t', strict=True))
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def check_characters(scalar: Scalar) -> str:
    """The scalar's text, without control characters (an escape can write them) and with `\\n` for line ends.

    Raises:
        InputError: it holds another control character, or half of a surrogate pair.
    """
    if found := _UNSHOWABLE.search(scalar.text):
        message = f"the text holds the control character U+{ord(found[0]):04X}"
        raise InputError(scalar.fault("value", message, "remove it"))
    return re.sub("\r(?=\n)", " ", scalar.text).replace("\r", "\n")


def text_of(scalar: Scalar, owner: str, text: str | None = None) -> Text:
    """The text of a scalar; places are those of its characters in the file, or where they cannot be told the scalar's.

    `text` stands in for a number that is written in a form which expressions do not have (`.inf`).

    Raises:
        InputError: as `check_characters`.
    """
    content = check_characters(scalar) if text is None else text

    return Text(content, owner, _Locator(scalar, content))


@dataclass(slots=True)
class _Locator:
    """Finds the places of a text's characters. Their offsets are worked out when the first place is wanted."""

    scalar: Scalar
    content: str
    offsets: list[int] | None = None
    looked: bool = False

    def __call__(self, offset: int, length: int) -> Place:
        if not self.looked:
            self.offsets = _offsets(self.scalar, self.content) if self.scalar.start >= 0 else None
            self.looked = True
        if self.offsets is None:
            return self.scalar.place
        first = self.offsets[min(offset, len(self.content))]
        last = self.offsets[min(offset + max(length, 1), len(self.content)) - 1] if self.content else first
        return self.scalar.file.place(first, max(last, first) + 1)


def _offsets(scalar: Scalar, content: str) -> list[int] | None:
    """For each character of the content, and for its end, the offset in the file; None where the two do not match."""
    raw, start = scalar.file.text[scalar.start : scalar.end], scalar.start
    if scalar.style in ("single", "double", "json"):
        raw, start = raw[1:-1], start + 1
    if raw == content:
        return list(range(start, start + len(raw) + 1))
    return _align(list(_pieces(scalar.style, raw, start)), content, start)


def _pieces(style: str, raw: str, start: int) -> list[tuple[str, int]]:
    """The characters that the raw text stands for, with their offsets; blanks are left out."""
    if style in ("double", "json"):
        pieces = [(_unescape(found[0]), start + found.start()) for found in _PIECE.finditer(raw)]
    elif style == "single":
        pieces = [
            ("'" if found[0] == "''" else found[0], start + found.start()) for found in re.finditer("''|[^']", raw)
        ]
    else:
        skip = raw.find("\n") + 1 if style == "block" else 0
        pieces = [(character, start + skip + index) for index, character in enumerate(raw[skip:])]
    return [(character, offset) for character, offset in pieces if not character.isspace() and character]


def _unescape(piece: str) -> str:
    if len(piece) == 1:
        return piece
    if piece[1] in "xuU":
        code = int(piece[2:], 16)
        return chr(code) if code <= 0x10FFFF else ""
    return _ESCAPES.get(piece[1], "") if piece[1] != "\n" else ""


def _align(pieces: list[tuple[str, int]], content: str, start: int) -> list[int] | None:
    """Match the characters that are not blank one to one; a blank stands right after what is before it."""
    dark = [index for index, character in enumerate(content) if not character.isspace()]
    if [character for character, _ in pieces] != [content[index] for index in dark]:
        return None
    known = {index: offset for index, (_, offset) in zip(dark, pieces, strict=True)}
    offsets: list[int] = []
    for index in range(len(content) + 1):
        previous = offsets[-1] + 1 if offsets else (pieces[0][1] if pieces else start)
        offsets.append(known.get(index, previous))
    return offsets
