"""Mutations of a file: by bytes, characters, lines and tokens, and of the expressions in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

__all__ = ["Mutator"]

TOKEN = re.compile(r"[^\W\d]\w*|\d+(?:\.\d*)?(?:e[-+]?\d+)?|\s+|\*\*|//|[<>=!]=|.", re.DOTALL)
NAME = re.compile(r"[^\W\d]\w*")
CALLED = re.compile(r"[^\W\d]\w*(?=\()")
FREE = re.compile(r"\b[^\W\d]\w*\b(?! *[=(])")
EXPRESSION = re.compile(r"(?<=[:\-] )[^\s\[{\"'|>#][^#\n]*|(?<=\")[^\"\n]+(?=\")")

CHARACTERS = [
    *"{}[]:,-?&*!|>'\"%@`#\n\t\r \\~<=.0e+^_;$/",
    *"\x00\x07\x1b\x7f\x85\xa0\ufeff\u2028\u202e\ud800λµ₁𝛼e\u0301",
]  # fmt: skip
PIECES = [
    "\n  ", ": ", " #", "- ", "<<: ", "!!x ", "!!python/object/apply:os.system ", "---\n", "...\n", "%YAML 1.1\n",
    "&a ", "*a", "|\n  ", ">-\n  ", "null", "true", "no", "~", "[]", "{}", "\r\n", "''", '""', "  ", "\\", "\\u0000",
    "${HOME}",
]  # fmt: skip
NUMBERS = [
    "0", "-1", "1", "2", "3", "-0.0", "0.5", "1e308", "1e999", "-1e-320", "nan", "inf", "-inf", ".nan", ".inf", "1_000",
    "0x10", "1e5", "1e8", "4611686018427387904", "9**9**9**9", "10**400", "1j", "9" * 400, "1e-400", "2**-1075", "pi/4",
]  # fmt: skip
OPERATORS = [
    *"+-*/@%<>&|~^",
    "**",
    "//",
    "==",
    "!=",
    "<=",
    "<<",
    " and ",
    " or ",
    " not ",
    " if ",
    " else ",
    " in ",
    ".",
]
WRAPPERS = [
    "{}[0]", "{}[-1]", "{}[...]", "{}[None]", "{}[::-1]", "{}[[0]]", "{}[0:0]", "{}.T", "-{}", "({})", "[{}]",
    "[{}, {}]", "{}**{}", "{}**0", "{}**-1", "{}**0.5", "0*{}", "1/{}", "{} @ {}", "{}/{}", "{} if {} > 0 else 0",
    "sum({})", "mean({}, axis=0)", "log({})", "sqrt({})", "exp(exp({}))", "inv({})", "det({})", "stop_gradient({})",
    "reshape({}, (-1,))", "where({} > 0, {}, 0)", "einsum('i,i', {}, {})", "{}.sum()", "np.exp({})", "lambda: {}",
    "(lambda x: x)({})", "__import__('os')", "{}.__class__", "f'{{{}}}'", "[i for i in {}]", "{} := 1", "*{}", "{!r}",
]  # fmt: skip


class Mutator:
    """Makes bytes of files; the same for the same state of `random`."""

    def __init__(self, texts: Sequence[str], good: Sequence[str], expressions: Sequence[str]) -> None:
        self.texts = texts
        self.good = good
        self.expressions = expressions
        names = {name for text in [*texts, *expressions] for name in NAME.findall(text)}
        self.names = sorted(names)
        self.called = sorted({name for text in expressions for name in CALLED.findall(text)})

    def file(self, random: Random) -> bytes:
        """A good text with other numbers or expressions, or any text with one to five mutations of any kind."""
        gentle = random.random() < 0.6
        text = random.choice(self.good if gentle else self.texts)
        kinds = [self.number, self.expression, self.expression]
        if not gentle:
            kinds += [self.character, self.piece, self.line, self.token]
        for _ in range(random.choice((1, 1, 2) if gentle else (1, 1, 2, 3, 5))):
            text = random.choice(kinds)(text, random)[:20_000]
        data = text.encode("utf-8", "surrogatepass")
        return self.byte(data, random) if not gentle and random.random() < 0.1 else data

    def byte(self, data: bytes, random: Random) -> bytes:
        """Another byte, or one less."""
        at = random.randrange(len(data) + 1)
        return data[:at] + random.choice((b"", bytes([random.randrange(256)]))) + data[at + 1 :]

    def character(self, text: str, random: Random) -> str:
        """A character that is put in, replaces another, or goes; or a span that goes or comes twice."""
        at = random.randrange(len(text) + 1)
        end = min(len(text), at + random.choice((1, 1, 2, 5, 30)))
        new = random.choice(CHARACTERS)
        return text[:at] + random.choice((new + text[at:], new + text[end:], text[end:], text[at:end] + text[at:]))

    def piece(self, text: str, random: Random) -> str:
        """Something that YAML or JSON makes much of."""
        at = random.randrange(len(text) + 1)
        return text[:at] + random.choice(PIECES) + text[at:]

    def line(self, text: str, random: Random) -> str:
        """A line that goes, comes twice, is indented otherwise, changes places, or comes from another file."""
        lines = text.split("\n")
        i, j = random.randrange(len(lines)), random.randrange(len(lines))
        kind = random.randrange(5)
        if kind == 0:
            del lines[i]
        elif kind == 1:
            lines.insert(j, lines[i])
        elif kind == 2:
            lines[i] = random.choice(("  " + lines[i], lines[i].lstrip(), "\t" + lines[i], lines[i].rstrip(" :,")))
        elif kind == 3:
            lines[i], lines[j] = lines[j], lines[i]
        else:
            lines.insert(i, random.choice(random.choice(self.texts).split("\n")))
        return "\n".join(lines)

    def token(self, text: str, random: Random) -> str:
        """A token that becomes another of the file, a name of any file, or an operator."""
        tokens = TOKEN.findall(text) or [""]
        at = random.randrange(len(tokens))
        tokens[at] = random.choice((random.choice(tokens), random.choice(self.names), random.choice(OPERATORS), ""))
        return "".join(tokens)

    def number(self, text: str, random: Random) -> str:
        """A number that becomes a difficult one."""
        spots = [found.span() for found in re.finditer(r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?", text)] or [(0, 0)]
        start, end = random.choice(spots)
        return text[:start] + random.choice(NUMBERS) + text[end:]

    def expression(self, text: str, random: Random) -> str:
        """A mutation inside what looks like an expression."""
        spots = [found.span() for found in EXPRESSION.finditer(text)] or [(0, len(text))]
        start, end = random.choice(spots)
        return text[:start] + self._other(text[start:end], random) + text[end:]

    def _other(self, old: str, random: Random) -> str:
        kind = random.randrange(6)
        if kind == 0:
            return self._borrowed(old, random)
        if kind == 1:
            return random.choice(WRAPPERS).replace("{!r}", repr(old)[:200]).replace("{}", old)
        if kind == 2:
            return f"{old} {random.choice(OPERATORS)} {self._borrowed(old, random)}"
        if kind == 3:
            return self.token(old, random)
        if kind == 4:
            return self.number(old, random)
        return CALLED.sub(lambda found: random.choice((found[0], random.choice(self.called))), old)

    def _borrowed(self, old: str, random: Random) -> str:
        """An expression from elsewhere, mostly with the names of the old one."""
        names = FREE.findall(old) or ["x"]
        new = random.choice(self.expressions)
        return FREE.sub(lambda found: random.choice(names), new) if random.random() < 0.8 else new
