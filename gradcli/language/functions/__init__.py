"""The functions of the language, one decorated builder each. Importing this package fills `declare.FUNCTIONS`."""

from gradcli.language.functions import arrange, create, elementwise, linear, losses, network, statistics

__all__ = ["arrange", "create", "elementwise", "linear", "losses", "network", "statistics"]
