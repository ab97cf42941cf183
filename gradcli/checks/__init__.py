"""Checks that people can trust: a file's expectations, and independent ways to the same derivatives."""

from __future__ import annotations

from gradcli.checks.run import check

__all__ = ["check"]
