"""Plans that outlive the process, in the user's cache folder, so that a question asked again needs no sympy.

The cache can only make an answer faster. What is damaged, foreign or of another version is not used, and nothing that
goes wrong here is an error.
"""
