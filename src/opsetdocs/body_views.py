"""Function bodies as pages show them: the text with links, the graph, and who uses whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from markupsafe import Markup, escape

from opsetdocs.addresses import Addresses
from opsetdocs.bodies import FENCED, body_links, body_text, parse_body, walk
from opsetdocs.catalog import Catalog, OperatorHistory, Version
from opsetdocs.docstring import SectionKind
from opsetdocs.model import Function, Node
from opsetdocs.pictures.graph import body_graph
from opsetdocs.timeline import selected

Url = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class ImportView:
    """An opset that a body uses."""

    domain: str
    version: int | None
    address: str | None
    """The address of the opset's page, if the site has it."""


@dataclass(frozen=True, slots=True)
class BodyView:
    """A function's body."""

    id: str
    imports: tuple[ImportView, ...]
    code: Markup
    """The body as ONNX writes it, every operator a link to the version that the imports select."""
    graph: Markup
    """The body as a picture; empty where it is too large to be read as one."""


@dataclass(slots=True)
class Bodies:
    """Makes the views of a site's bodies, and knows which functions use an operator."""

    catalog: Catalog
    addresses: Addresses
    _operators: dict[tuple[str, str, str], OperatorHistory] = field(init=False)
    _users: Mapping[tuple[str, str, str], tuple[OperatorHistory, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self._operators = {
            (domain.name, operator.op_type, operator.overload): operator
            for domain in self.catalog.domains
            for operator in domain.operators
        }
        self._users = _users(self.catalog)

    def users(self, operator: OperatorHistory) -> tuple[OperatorHistory, ...]:
        """Return the operators whose current version has a body that uses this one."""
        return self._users.get((operator.domain, operator.op_type, operator.overload), ())

    def of_function(self, function: Function, body_id: str, url: Url) -> BodyView:
        """Return the view of a function's own body."""
        return self._view(function, body_text(function), body_id, url)

    def in_text(self, text: str, body_id: str, url: Url) -> Iterator[str | BodyView]:
        """Yield a text's fenced `onnx` blocks as bodies, and the Markdown around them as it stands.

        A block that cannot be read stays Markdown.
        """
        at = 0
        for number, match in enumerate(FENCED.finditer(text), 1):
            function = parse_body(match["text"])
            if function is None:
                continue
            yield from filter(str.strip, (text[at : match.start()],))
            # The text around the block says what the body imports.
            yield replace(self._view(function, match["text"], f"{body_id}.{number}", url), imports=())
            at = match.end()
        yield from filter(str.strip, (text[at:],))

    def _view(self, function: Function, text: str, body_id: str, url: Url) -> BodyView:
        imports = {item.domain: item.version for item in function.opset_imports}

        def link(node: Node) -> str | None:
            address = self._node(node, imports)
            return None if address is None else url(address)

        return BodyView(
            id=body_id,
            imports=tuple(
                ImportView(domain, version, self._opset(domain, version))
                for domain, version in imports.items()
            ),
            code=_linked(text, body_links(text, function), link),
            graph=body_graph(function, id_prefix=body_id, link=link),
        )

    def _node(self, node: Node, imports: Mapping[str, int | None]) -> str | None:
        """Return the address of the version that a node's opset import selects, if the site has it."""
        operator = self._operators.get((node.domain, node.op_type, node.overload))
        if operator is None:
            return None
        version = _selected(operator, imports.get(node.domain))
        if version is None:
            return self.addresses.operator(operator)
        return self.addresses.version(operator, version.since_version)

    def _opset(self, domain: str, version: int | None) -> str | None:
        """Return the address of an opset's page, if the site has one."""
        opset = self.catalog.opset(domain, version)
        return None if opset is None else self.addresses.opset(domain, opset.version)


def _selected(operator: OperatorHistory, opset: int | None) -> Version | None:
    """The version that an import of this opset binds: the highest since_version that is not above it."""
    if opset is None:
        return None
    number = selected((version.since_version for version in operator.versions), opset)
    return None if number is None else operator.version(number)


def _linked(text: str, links: Iterable[tuple[int, int, Node]], link: Callable[[Node], str | None]) -> Markup:
    pieces: list[Markup] = []
    at = 0
    for start, end, node in links:
        if (href := link(node)) is not None:
            pieces += [escape(text[at:start]), Markup('<a href="{}">{}</a>').format(href, text[start:end])]
            at = end
    return Markup().join([*pieces, escape(text[at:])])


def _users(catalog: Catalog) -> Mapping[tuple[str, str, str], tuple[OperatorHistory, ...]]:
    users: dict[tuple[str, str, str], dict[int, OperatorHistory]] = {}
    for domain in catalog.domains:
        for operator in domain.operators:
            for function in _functions(operator.current):
                for node in walk(function.nodes):
                    key = (node.domain, node.op_type, node.overload)
                    users.setdefault(key, {})[id(operator)] = operator
    return {key: tuple(found.values()) for key, found in users.items()}


def _functions(version: Version) -> Iterator[Function]:
    """The bodies of a version: as a function, and in the words of its text."""
    for part in version.current.parts:
        if part.function is not None:
            yield part.function
        section = part.doc.section(SectionKind.FUNCTION_BODY)
        for block in section.blocks if section else ():
            if isinstance(block, str):
                yield from filter(None, (parse_body(match["text"]) for match in FENCED.finditer(block)))
