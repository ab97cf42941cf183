"""The graph: sympy nodes, the ops, their derivatives and the compiler. Knows nothing of files or text."""
