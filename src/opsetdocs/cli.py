"""The command line. Each command hands over to a function that works without it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import click

from opsetdocs import handover
from opsetdocs.errors import ConfigError, OpsetdocsError
from opsetdocs.model import Format
from opsetdocs.site import Summary

_BROKEN_RULES = 1
_UNUSABLE = 2
_INTERRUPTED = 130

_GRACE = 10.0
"""Seconds that an interrupted MkDocs gets to end by itself."""


class _Unusable(click.ClickException):
    exit_code = _UNUSABLE


class _Commands(click.Group):
    """A group whose commands may raise our errors: they become a message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # Names may hold characters that the terminal's encoding lacks.
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except OpsetdocsError as err:
            raise _Unusable(str(err)) from err
        except OSError as err:
            raise _Unusable(f"{err.filename or 'the file system'}: {err.strerror}") from err
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            sys.exit(_INTERRUPTED)


def _version() -> str:
    try:
        return metadata.version("opsetdocs")
    except metadata.PackageNotFoundError:  # a checkout on the path
        return "(not installed)"


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version())
def main() -> None:
    """Documentation sites for ONNX operator sets.

    Make a site of all of ONNX in the folder site:

        opsetdocs build

    Look at it while you write: list the plugin opsetdocs in mkdocs.yml and run `mkdocs serve`.
    """


@main.command()
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option(
    "-f",
    "--config-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The MkDocs configuration.  [default: mkdocs.yml, if there is one]",
)
@click.option(
    "-d",
    "--site-dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the finished site.  [default: site, or what mkdocs.yml says]",
)
@click.option("--strict", is_flag=True, help="Publish nothing if there is any warning, and exit with 1.")
def build(sources: tuple[str, ...], config_file: Path | None, site_dir: Path | None, strict: bool) -> None:
    """Build a static site from operator sets.

    A SOURCE is a file, a folder, a glob pattern, - for standard input, or onnx for the installed onnx
    package. Without SOURCE the site shows what mkdocs.yml names; without mkdocs.yml, all of ONNX.

    The site is replaced when it is finished; if anything fails, it stays as it was.

    \b
    Examples:
        opsetdocs build
        opsetdocs build opsets/ -d public
        opsetdocs build --strict onnx com.acme.ops-3.textproto
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs.project import find_project, fixed_part
    from opsetdocs.publish import check_replaceable, publish, staging_folder

    project = find_project(config_file)
    shown = site_dir or project.site_dir
    target = shown.resolve()
    check_replaceable(target, (*project.reads, *filter(None, map(fixed_part, sources))))
    with staging_folder(target) as staging:
        summary = _run_mkdocs(project.config_file, staging, sources, strict=strict)
        publish(staging, target)
    click.echo(f"{describe(summary)} in {_display(target)}")


def _run_mkdocs(config_file: Path, site_dir: Path, sources: Sequence[str], *, strict: bool) -> Summary:
    """Have MkDocs build the site, and return what it holds.

    MkDocs runs as a process of its own: both ways of building then print and fail alike, and it may end the
    process as it likes.
    """
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(config_file.resolve())]
    command += ["--site-dir", str(site_dir), *(["--strict"] if strict else [])]
    with tempfile.TemporaryDirectory(prefix="opsetdocs-") as folder:
        report = Path(folder) / "report.json"
        quiet = not sys.stderr.isatty()
        variables = handover.environment(sources=sources, quiet=quiet, report=report)
        code = _wait_for(command, {"SOURCE_DATE_EPOCH": _today(), **os.environ, **variables})
        summary = handover.read_report(report)
    if code < 0:
        raise OpsetdocsError(f"MkDocs was ended by signal {-code}")
    if code > 0:
        # MkDocs exits with 1 whatever happens. Where it wrote every page, what it failed on is a warning.
        sys.exit(_UNUSABLE if summary is None else _BROKEN_RULES)
    if summary is None:
        raise ConfigError(f"{config_file} switches the plugin opsetdocs off")
    return summary


def _wait_for(command: Sequence[str], variables: dict[str, str]) -> int:
    # In a session of its own, so that Ctrl-C reaches this process alone and one message is printed. What it
    # prints goes to standard error: the summary is all that standard output gets.
    with subprocess.Popen(command, env=variables, stdout=2, start_new_session=True) as process:  # noqa: S603
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            try:
                process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
            raise


def _today() -> str:
    """Return today's midnight (UTC) for SOURCE_DATE_EPOCH.

    MkDocs writes the time of the build into the start page, and the date into the sitemap, where it has to be
    true. With this, a day's builds of the same input are the same bytes. Who sets the variable decides.
    """
    day = 24 * 60 * 60
    return str(int(time.time()) // day * day)


def describe(summary: Summary) -> str:
    """Return the counts in words: `227 operators, 659 versions, 35 opsets in 4 domains: 946 pages`."""
    parts = {
        name: _count(getattr(summary, name), name)
        for name in ("operators", "versions", "opsets", "domains", "pages")
    }
    return "{operators}, {versions}, {opsets} in {domains}: {pages}".format_map(parts)


def _count(number: int, plural: str) -> str:
    return f"{number} {plural if number != 1 else plural.removesuffix('s')}"


def _display(folder: Path) -> str:
    inside = folder.is_relative_to(Path.cwd())
    return f"{folder.relative_to(Path.cwd()) if inside else folder}{os.sep}"


@main.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--domain", help="Write this domain only.")
@click.option("--opset", type=click.IntRange(min=1), help="Write this opset only.")
@click.option(
    "--format",
    "format_",
    type=click.Choice([item.value for item in Format]),
    default=Format.BINARY.value,
    show_default=True,
    help="The encoding of the files.",
)
def export(folder: Path, domain: str | None, opset: int | None, format_: str) -> None:
    """Write the opsets of the installed onnx package as files.

    Each file in the folder DIR is an OperatorSetProto: every operator of one opset, with its signature in
    its doc_string.

    \b
    Examples:
        opsetdocs export opsets
        opsetdocs export opsets --domain ai.onnx --opset 22 --format text
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs.export import export as write_opsets

    written = write_opsets(folder, domain=domain, opset=opset, format=Format(format_))
    click.echo(f"{_count(len(written), 'files')} in {_display(folder.resolve())}")
