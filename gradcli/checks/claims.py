"""What an expectation is about: the node that it is held against, and the names of its entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from gradcli.checks.judge import named
from gradcli.checks.subject import Subject
from gradcli.core.differentiate import vjp
from gradcli.core.nodes import Value
from gradcli.core.shapes import Shape
from gradcli.core.tangents import Tangent, Zero, dense, identity_seed
from gradcli.derive import gradient_nodes, gradient_seeds, hessian_nodes, jacobian_nodes
from gradcli.document.expectations import Expected
from gradcli.errors import Fault, InputError
from gradcli.results.labels import entry_text

__all__ = ["Claim"]

Seeds = dict[Value, Tangent | Zero]


@dataclass(frozen=True)
class Claim:
    """One expectation, and what the file says about it."""

    subject: Subject
    expected: Expected

    @property
    def kind(self) -> str:
        return self.expected.kind

    @property
    def key(self) -> tuple[str, ...]:
        return self.expected.key

    @property
    def noun(self) -> str:
        """`gradient of w`, `Jacobian of y by w`."""
        first, *rest = self.key
        names = {"value": "value", "gradient": "gradient", "jacobian": "Jacobian", "hessian": "Hessian"}
        link = " and " if self.kind == "hessian" else " by "
        return f"{names[self.kind]} {'by' if self.kind == 'hessian' else 'of'} {link.join([first, *rest])}"

    @cached_property
    def node(self) -> Value | None:
        """None where there is no path; InputError where it takes too much memory."""
        p, s = self.subject.program, self.subject
        self._refuse_large()
        if self.kind == "value":
            return p.targets[self.key[0]]
        if self.kind == "gradient":
            return s.gradient[self.key[0]]
        if self.kind == "jacobian":
            target, source = self.key
            return jacobian_nodes(p.graph, p.targets[target], {source: p.sources[source]}, forward=False)[source]
        a, b = self.key
        pair = {name: p.sources[name] for name in {a: None, b: None}}
        return hessian_nodes(p.graph, p.targets, pair, s.weights)[a, b]

    def _refuse_large(self) -> None:
        try:
            self.subject.question.refuse_large([self.shape])
        except InputError as error:
            message = f"expected {self.expected.name}: {error.faults[0].message}"
            help_ = "expect a part of it, such as one of several targets, or raise the limit with --max-memory"
            raise InputError(Fault("limit", message, help_, self.expected.place)) from None

    @cached_property
    def shape(self) -> Shape:
        """The shape of what is expected."""
        p = self.subject.program
        if self.kind == "value":
            return p.targets[self.key[0]].shape
        if self.kind == "jacobian":
            return p.targets[self.key[0]].shape + p.sources[self.key[1]].shape
        return sum((p.sources[name].shape for name in self.key), ())

    @property
    def label(self) -> Callable[[tuple[int, ...]], str]:
        """Names an entry: `w[0,1]`, `y[0] by w[0,1]`."""
        if len(self.key) == 1:
            return named(self.key[0])
        p = self.subject.program
        first, second = self.key
        rank = (p.targets if self.kind == "jacobian" else p.sources)[first].rank
        link = " by " if self.kind == "jacobian" else " and "
        return lambda index: f"{first}{entry_text(index[:rank])}{link}{second}{entry_text(index[rank:])}"

    # -- other derivatives of the same kind ------------------------------------------------------------------------

    @property
    def source(self) -> Value:
        """What is differentiated by."""
        return self.subject.program.sources[self.key[-1]]

    def seeds(self) -> Seeds:
        """What is pulled back to make a gradient, or the rows of a Jacobian."""
        p = self.subject.program
        if self.kind == "jacobian":
            target = p.targets[self.key[0]]
            return {target: identity_seed(p.graph, target.shape)}
        return gradient_seeds(p.graph, p.targets, self.subject.weights)

    def pulled(self, seeds: Seeds, to: list[Value]) -> list[Value | None]:
        """The derivatives by other values; None where there is none, or it is 0."""
        g = self.subject.program.graph
        found = vjp(g, seeds, to)
        return [dense(g, t) if isinstance(t := found[v], Tangent) else None for v in to]

    def unweighted(self) -> dict[str, Value | None]:
        """The gradient with all output gradients 1."""
        p = self.subject.program
        return gradient_nodes(p.graph, p.targets, p.sources, {})
