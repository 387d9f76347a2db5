"""A new project: the operator sets of a custom domain, and the site that documents them.

The files are templates in `project_template/`. They show the conventions on two small opsets, and keep every
rule of `opsetdocs check`.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from importlib import metadata
from pathlib import Path

import jinja2

from opsetdocs.errors import ConfigError
from opsetdocs.links import is_onnx_domain
from opsetdocs.model import OperatorSet, domain_name
from opsetdocs.names import domain_segment
from opsetdocs.rules import RULES, run

TEMPLATES = Path(__file__).with_name("project_template")
"""The folder of the templates: those that end in `.jinja` are rendered, the others copied."""

_FILES = {
    "README.md": "README.md.jinja",
    "mkdocs.yml": "mkdocs.yml.jinja",
    "requirements.txt": "requirements.txt.jinja",
    ".gitignore": "gitignore",
    ".pre-commit-config.yaml": "pre-commit-config.yaml.jinja",
    ".github/workflows/pages.yml": "pages.yml",
    "docs/index.md": "index.md.jinja",
    "opsets/{domain}-1.textproto": "opset-1.textproto.jinja",
    "opsets/{domain}-2.textproto": "opset-2.textproto.jinja",
}
"""The files of a project, each with its template."""

_RELEASE = re.compile(r"[0-9]+(\.[0-9]+)*")


def new_project(folder: Path, domain: str) -> tuple[str, ...]:
    """Write a project for a domain, all of it or nothing, and return the names of its files.

    Args:
        folder: Where the project goes: a folder that does not exist, or that is empty but for a `.git`.
        domain: The domain of the operator sets.

    Raises:
        ConfigError: The domain is no reverse-DNS name or that of ONNX itself, or the folder is not empty, or
            cannot be written.
    """
    _check_domain(domain)
    files = _rendered(domain)
    try:
        _check_empty(folder)
        _write(folder, files)
    except OSError as err:
        raise ConfigError(f"{folder}: the project cannot be written here: {err.strerror or err}") from err
    return tuple(files)


def _check_domain(domain: str) -> None:
    """Make sure that a domain is one that somebody may own.

    Raises:
        ConfigError: It is that of ONNX, or breaks the rule about the names of domains.
    """
    if is_onnx_domain(domain_name(domain)):
        raise ConfigError(
            f"{domain or 'the empty domain'} is that of ONNX itself, "
            "expected a domain of your own, such as com.example.ops"
        )
    named = OperatorSet("", None, None, None, None, domain, None, None, (), ())
    for finding in run([named], rules=[RULES["OPSET_DOMAIN_REVERSE_DNS"]]):
        raise ConfigError(finding.message)


def _check_empty(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder} is a file, expected a new or an empty folder")
    entries = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if entries - {".git"}:
        raise ConfigError(f"{folder} is not empty, expected a new or an empty folder")


def _rendered(domain: str) -> dict[str, str]:
    """Return the texts of the files by name."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 -- none of the files is HTML, and a domain that is checked has no markup
    )
    variables = {"domain": domain, "segment": domain_segment(domain), "requirement": _requirement()}

    def text(template: str) -> str:
        if template.endswith(".jinja"):
            return environment.get_template(template).render(variables)
        return (TEMPLATES / template).read_text(encoding="utf-8")

    return {name.format(domain=domain): text(template) for name, template in _FILES.items()}


def _requirement() -> str:
    """Return what pip is told to install: at least this release, where this is one."""
    try:
        version = metadata.version("opsetdocs")
    except metadata.PackageNotFoundError:  # a checkout on the path
        return "opsetdocs"
    return f"opsetdocs>={version}" if _RELEASE.fullmatch(version) else "opsetdocs"


def _write(folder: Path, files: dict[str, str]) -> None:
    """Write the files inside the folder, under a hidden name, and move them into their places at the end."""
    made = next((path for path in (*reversed(folder.parents), folder) if not path.exists()), None)
    moved: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".opsetdocs-") as staging:
            for name, text in files.items():
                path = Path(staging, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8", newline="\n")
            for entry in sorted(Path(staging).iterdir()):
                moved.append(folder / entry.name)
                entry.rename(moved[-1])
    except BaseException:
        for path in [made] if made else moved:
            _remove(path)
        raise


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
