"""FILE -> PROBLEM: an expression file (YAML, JSON or a Python mapping), read, bounded and checked."""

from gradcli.document.problem import Problem, from_expressions, load, read_value, with_point

__all__ = ["Problem", "from_expressions", "load", "read_value", "with_point"]
