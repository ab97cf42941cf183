"""The ops: declarations only, each beside its adjoint. A module imports only those before it:

elementwise <- pieces <- special <- shape <- arrange <- contraction <- reduction <- linalg
"""
