"""One question and its place in the cache."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from gradcli.cache.folder import Folder
from gradcli.cache.keys import key_of
from gradcli.cache.pack import pack, unpack
from gradcli.document.problem import Problem
from gradcli.plan import Plan

__all__ = ["Keeper"]


class Keeper(NamedTuple):
    """Where the plan of a question is kept."""

    problem: Problem
    folder: Folder
    key: str

    @classmethod
    def of(cls, folder: Folder, problem: Problem, facts: tuple[object, ...]) -> Keeper | None:
        """For what `facts` say of the question; None where nothing is to be kept."""
        key = key_of(problem, facts)
        return None if key is None else cls(problem, folder, key)

    def load(self) -> Plan | None:
        """The plan that was kept; None where there is none to trust."""
        data = self.folder.load(self.key)
        if data is not None:
            with suppress(ValueError, KeyError, IndexError, TypeError):
                return unpack(data, self.problem, self.key)
            self.folder.remove(self.key)
        return None

    def save(self, plan: Plan) -> None:
        """Keeps a plan."""
        self.folder.save(self.key, pack(plan, self.problem, self.key))
