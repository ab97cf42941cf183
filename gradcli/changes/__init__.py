"""`diff`: what changed between two expression files, two JSON results, or one of each."""

from __future__ import annotations

from gradcli.changes.run import diff

__all__ = ["diff"]
