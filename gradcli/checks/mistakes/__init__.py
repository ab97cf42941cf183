"""Usual mistakes that show in the numbers of a derivative alone: each is made on purpose, and held against a wrong one.

They serve files, whose numbers come from the graph (`checks.diagnosis`), and functions of the user's own, whose numbers
come from differences (`gradcli.testing`). Nothing here needs more than NumPy.
"""
