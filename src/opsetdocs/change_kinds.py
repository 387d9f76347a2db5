"""The words of a comparison: the kinds of changes, and what each means to a model with the old version.

How changes are weighed:

- Inputs and outputs have places, as in a node; their names are documentation. So a new name at the same place
  is words, another place is not.
- Attributes have names and no order. An attribute that became an input is not where it was.
- What can be left out widens when it is added; what must be there narrows.
- A type that is gained widens, a type that is lost narrows, for outputs too: a model states their types.
- Types that had to be the same and need not any more widen; the reverse narrows.
- A deprecated version narrows: the checker of ONNX refuses a model that uses it.
- Another default, or another body of a function, leaves a model valid and may change what it computes.
- Status, properties, differentiability, names of type constraints and all texts are words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum

from opsetdocs.docstring import code_span
from opsetdocs.type_groups import in_words, listed, split_types


class Weight(IntEnum):
    """What a change means to somebody who has a model with the old version; the worst is the highest."""

    NOTHING = 0
    TEXT = 1
    """The signature is kept: words, properties and status alone."""
    WIDENED = 2
    """The signature accepts what it accepted before, and more; whether that means the same, the text says."""
    DEFAULT = 3
    """Valid models may mean something else: a default or a function's body changed."""
    NARROWED = 4
    """Something that was valid is not valid any more, or has another place or name."""
    REMOVED = 5
    """The operator is gone."""

    @property
    def words(self) -> str:
        """The weight in words."""
        return _WEIGHTS_IN_WORDS[self]

    @property
    def label(self) -> str:
        """The weight in one word, to stand in front of a change."""
        return _WEIGHTS_IN_A_WORD[self]

    @property
    def of_operators(self) -> str:
        """What stands after a number of operators: `11 with a narrower signature`."""
        return _WEIGHTS_OF_OPERATORS[self]


_WEIGHTS_IN_WORDS = {
    Weight.NOTHING: "nothing changed",
    Weight.TEXT: "signature kept",
    Weight.WIDENED: "signature widened",
    Weight.DEFAULT: "default or body changed",
    Weight.NARROWED: "signature narrowed",
    Weight.REMOVED: "removed",
}

_WEIGHTS_IN_A_WORD = {
    Weight.NOTHING: "nothing",
    Weight.TEXT: "words",
    Weight.WIDENED: "wider",
    Weight.DEFAULT: "default",
    Weight.NARROWED: "narrower",
    Weight.REMOVED: "removed",
}

_WEIGHTS_OF_OPERATORS = {
    Weight.NOTHING: "new",
    Weight.TEXT: "with the same signature",
    Weight.WIDENED: "with a wider signature",
    Weight.DEFAULT: "with another default or body",
    Weight.NARROWED: "with a narrower signature",
    Weight.REMOVED: "removed",
}
"""An operator of which nothing changed is a new one: the others are not listed."""


class Role(Enum):
    """What a change is about; the value is its name in sentences."""

    OPERATOR = "operator"
    ATTRIBUTE = "attribute"
    INPUT = "input"
    OUTPUT = "output"
    TYPE = "type constraint"
    PROPERTY = "property"


class ChangeKind(Enum):
    """The kinds of changes; the value is the sentence."""

    DEPRECATED = "deprecated"
    UNDEPRECATED = "no longer deprecated"
    PROMOTED = "promoted from experimental to stable"
    DEMOTED = "demoted from stable to experimental"
    STATUS_CHANGED = "status changed from {old} to {new}"
    BECAME_FUNCTION = "became a function"
    NO_LONGER_FUNCTION = "is no longer a function"

    REQUIRED_ADDED = "required {role} {subject} added"
    OPTIONAL_ADDED = "optional {role} {subject} added"
    ADDED_WITH_DEFAULT = "{role} {subject} added, {new} by default"
    REMOVED = "{role} {subject} removed"
    BECAME_REQUIRED_INPUT = "{role} {subject} became a required input"
    BECAME_OPTIONAL_INPUT = "{role} {subject} became an optional input"
    BECAME_ATTRIBUTE = "{role} {subject} became an attribute"
    RENAMED = "{role} {old} is now called {new}"
    MOVED = "{role} {subject} moved from place {old} to place {new}"
    BECAME_REQUIRED = "{role} {subject} became required"
    BECAME_OPTIONAL = "{role} {subject} became optional"
    BECAME_OPTIONAL_WITH_DEFAULT = "{role} {subject} became optional, {new} by default"
    DEFAULT_CHANGED = "default of {subject} changed from {old} to {new}"
    DEFAULT_GAINED = "{role} {subject} now has the default {new}"
    DEFAULT_LOST = "{role} {subject} no longer has the default {old}"
    BECAME_VARIADIC = "{role} {subject} became variadic"
    BECAME_SINGLE = "{role} {subject} is no longer variadic"
    LEAST_RAISED = "number of values of {role} {subject} must now be at least {new}, before {old}"
    LEAST_LOWERED = "number of values of {role} {subject} need only be {new}, before {old}"
    BECAME_HETEROGENEOUS = "{role} {subject} became heterogeneous"
    BECAME_HOMOGENEOUS = "{role} {subject} became homogeneous"
    DIFFERENTIABILITY_CHANGED = "differentiability of {role} {subject} changed from {old} to {new}"
    REMARKS_CHANGED = "remarks on {role} {subject} changed from {old} to {new}"

    TYPE_CHANGED = "type of {role} {subject} changed from {old} to {new}"
    TYPE_STATED = "type of {role} {subject} is now stated: {new}"
    TYPE_NOT_STATED = "type of {role} {subject} is no longer stated; it was {old}"
    MAY_BE = "{role} {subject} may now also be {new}"
    MAY_NOT_BE = "{role} {subject} may no longer be {old}"
    TYPE_CALLED = "type of {role} {subject} is now called {new}, before {old}"
    TYPE_TIED = "{role} {subject} must now have the type of {new}"
    TYPE_FREED = "{role} {subject} need no longer have the type of {old}"
    TYPES_GAINED = "{subject} gained {new}"
    TYPES_LOST = "{subject} lost {old}"
    TYPES_OTHER = "{role} {subject} now stands for {new}"
    CONSTRAINT_ADDED = "{role} {subject} added: {new}"

    COUNT_WIDENED = "number of {role}s may now be {new}, before {old}"
    COUNT_NARROWED = "number of {role}s must now be {new}, before {old}"

    PROPERTY_ADDED = "property {subject} stated: {new}"
    PROPERTY_CHANGED = "property {subject} changed from {old} to {new}"

    BODY_CHANGED = "body of the function changed"
    IMPORT_CHANGED = "opset of {subject} that the body imports changed from {old} to {new}"
    BODY_TEXT_ADDED = "section Function Body added"
    BODY_TEXT_REMOVED = "section Function Body removed"
    BODY_TEXT_CHANGED = "section Function Body changed, its nodes are the same"
    BODY_TEXT_NODES_CHANGED = "nodes of the body in section Function Body changed"
    DESCRIPTION_CHANGED = "description of {role} {subject} changed"
    TEXT_CHANGED = "text changed"


_K = ChangeKind

_KINDS = {
    Weight.NARROWED: (
        _K.DEPRECATED,
        _K.REQUIRED_ADDED,
        _K.REMOVED,
        _K.BECAME_REQUIRED_INPUT,
        _K.BECAME_OPTIONAL_INPUT,
        _K.BECAME_ATTRIBUTE,
        _K.MOVED,
        _K.BECAME_REQUIRED,
        _K.BECAME_SINGLE,
        _K.LEAST_RAISED,
        _K.BECAME_HOMOGENEOUS,
        _K.TYPE_CHANGED,
        _K.MAY_NOT_BE,
        _K.TYPE_TIED,
        _K.TYPES_LOST,
        _K.COUNT_NARROWED,
    ),
    Weight.DEFAULT: (
        _K.DEFAULT_CHANGED,
        _K.DEFAULT_GAINED,
        _K.DEFAULT_LOST,
        _K.BODY_CHANGED,
        _K.BODY_TEXT_NODES_CHANGED,
    ),
    Weight.WIDENED: (
        _K.UNDEPRECATED,
        _K.OPTIONAL_ADDED,
        _K.ADDED_WITH_DEFAULT,
        _K.BECAME_OPTIONAL,
        _K.BECAME_OPTIONAL_WITH_DEFAULT,
        _K.BECAME_VARIADIC,
        _K.LEAST_LOWERED,
        _K.BECAME_HETEROGENEOUS,
        _K.MAY_BE,
        _K.TYPE_FREED,
        _K.TYPES_GAINED,
        _K.COUNT_WIDENED,
    ),
    Weight.TEXT: (
        _K.PROMOTED,
        _K.DEMOTED,
        _K.STATUS_CHANGED,
        _K.BECAME_FUNCTION,
        _K.NO_LONGER_FUNCTION,
        _K.RENAMED,
        _K.DIFFERENTIABILITY_CHANGED,
        _K.REMARKS_CHANGED,
        _K.TYPE_STATED,
        _K.TYPE_NOT_STATED,
        _K.TYPE_CALLED,
        _K.TYPES_OTHER,
        _K.CONSTRAINT_ADDED,
        _K.PROPERTY_ADDED,
        _K.PROPERTY_CHANGED,
        _K.IMPORT_CHANGED,
        _K.BODY_TEXT_ADDED,
        _K.BODY_TEXT_REMOVED,
        _K.BODY_TEXT_CHANGED,
        _K.DESCRIPTION_CHANGED,
        _K.TEXT_CHANGED,
    ),
}

_WEIGHTS = {kind: weight for weight, kinds in _KINDS.items() for kind in kinds}

_IN_PLAIN_WORDS = frozenset(
    {
        _K.STATUS_CHANGED,
        _K.MOVED,
        _K.LEAST_RAISED,
        _K.LEAST_LOWERED,
        _K.DIFFERENTIABILITY_CHANGED,
        _K.COUNT_WIDENED,
        _K.COUNT_NARROWED,
        _K.IMPORT_CHANGED,
    }
)
"""The kinds whose old and new are numbers and words, not code."""

_LISTS_OF_TYPES = frozenset(
    {
        _K.TYPE_CHANGED,
        _K.TYPE_STATED,
        _K.TYPE_NOT_STATED,
        _K.MAY_BE,
        _K.MAY_NOT_BE,
        _K.TYPES_GAINED,
        _K.TYPES_LOST,
        _K.TYPES_OTHER,
        _K.CONSTRAINT_ADDED,
    }
)
"""The kinds whose old and new are lists of types."""

_LISTS_OF_NAMES = frozenset({_K.TYPE_TIED, _K.TYPE_FREED})
"""The kinds whose old and new are lists of names."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change, by name."""

    kind: ChangeKind
    subject: str = ""
    """What changed: the attribute's, input's, output's, type constraint's or property's name, or the domain
    that a body imports; empty for the operator itself. A thing that got another name has its old one here."""
    old: str = ""
    """What there was, as written: a default, a type, a list of types."""
    new: str = ""
    """What there is now."""
    role: Role = Role.OPERATOR
    """What the subject is."""

    @property
    def weight(self) -> Weight:
        """What the change means to a model."""
        if self.kind is _K.REMOVED and self.role in (Role.TYPE, Role.PROPERTY):
            return Weight.TEXT
        return _WEIGHTS[self.kind]

    @property
    def words(self) -> str:
        """The sentence as Markdown, names and values as code: ``default of `axis` changed from `1` ...``."""
        return self._sentence(_code)

    @property
    def plain(self) -> str:
        """The sentence for a terminal: `default of axis changed from 1 to -1`."""
        return self._sentence(folded)

    def _sentence(self, show: Callable[[str], str]) -> str:
        return self.kind.value.format(
            role=self.role.value,
            subject=show(self.subject),
            old=self._shown(self.old, show),
            new=self._shown(self.new, show),
        )

    def _shown(self, value: str, show: Callable[[str], str]) -> str:
        if self.kind in _LISTS_OF_TYPES:
            return in_words(split_types(value), show)
        if self.kind in _LISTS_OF_NAMES:
            return listed([show(name) for name in value.split(", ")])
        if not value:
            return "nothing"
        return value if self.kind in _IN_PLAIN_WORDS else show(value)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed from one version to another."""

    changes: tuple[Change, ...]
    """Worst first, then in the order of the signature."""

    @property
    def weight(self) -> Weight:
        """The worst weight among the changes."""
        return max((change.weight for change in self.changes), default=Weight.NOTHING)


def folded(text: str) -> str:
    """Return a text on one line, each stretch of white space as one space."""
    return " ".join(text.split())


def _code(text: str) -> str:
    return code_span(folded(text))
