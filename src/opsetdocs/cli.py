"""The command line. Each command hands over to a function that works without it."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from opsetdocs import handover
from opsetdocs.errors import ConfigError, OpsetdocsError, SourceError
from opsetdocs.model import Format
from opsetdocs.plain_text import visible
from opsetdocs.progress import show_progress
from opsetdocs.reporting import log_findings
from opsetdocs.site import Summary
from opsetdocs.terminal import Line, counted, echo, visible_lines, width
from opsetdocs.timings import count, divide, record, stage, stop, timing_lines

if TYPE_CHECKING:
    from opsetdocs.catalog import Catalog
    from opsetdocs.check_report import Report
    from opsetdocs.publish import Workplace

_Function = TypeVar("_Function", bound=Callable[..., Any])

_BROKEN_RULES = 1
_DIFFERENT = 1
_UNUSABLE = 2
_INTERRUPTED = 130

_GRACE = 10.0
"""Seconds that an interrupted MkDocs gets to end by itself."""


class _Unusable(click.ClickException):
    exit_code = _UNUSABLE

    def format_message(self) -> str:
        # Names of files and operators are in it.
        return "\n".join(visible_lines(self.message))


class _Commands(click.Group):
    """A group whose commands may raise our errors: they become a message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # Names may hold characters that the terminal's encoding lacks.
                stream.reconfigure(errors="backslashreplace")
        show_progress(sys.stderr)
        try:
            return super().invoke(ctx)
        except OpsetdocsError as err:
            raise _Unusable(str(err)) from err
        except BrokenPipeError:
            raise  # click ends quietly when nobody reads on
        except OSError as err:
            raise _Unusable(f"{err.filename or 'the file system'}: {err.strerror}") from err
        except ImportError as err:
            raise _Unusable(f"opsetdocs is not installed with all that it needs: {err}") from err
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            sys.exit(_INTERRUPTED)


def _show_version(context: click.Context, _: click.Parameter, is_asked_for: bool) -> None:
    if not is_asked_for:
        return
    from importlib import metadata

    try:
        version = metadata.version("opsetdocs")
    except metadata.PackageNotFoundError:  # a checkout on the path
        version = "(not installed)"
    click.echo(f"{context.info_name}, version {version}")
    context.exit()


def _exit_codes(broken: str | None = None) -> str:
    """Return the end of a command's help.

    Args:
        broken: What it means that the command exits with 1, if it does that.
    """
    meanings = {
        0: "done",
        1: broken,
        _UNUSABLE: "the call or a file cannot be used",
        _INTERRUPTED: "interrupted",
    }
    lines = (f"    {code:<4} {meaning}" for code, meaning in meanings.items() if meaning)
    return "\n".join(("\b", "Exit codes:", *lines))


_sources_argument = click.argument("sources", nargs=-1, metavar="[SOURCE]...")
_config_file_option = click.option(
    "-f",
    "--config-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The MkDocs configuration.  [default: mkdocs.yml, if there is one]",
)
_timings_option = click.option(
    "--timings", is_flag=True, help="Say on standard error what each stage took, at the end."
)


def _not_empty(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value == "":
        raise click.BadParameter("expected a folder, or off")
    return value


@contextmanager
def _timed(timings: bool) -> Iterator[None]:
    """Print what the stages inside took, if that is asked for."""
    if timings:
        record("start and end", whole_process=True)
    try:
        yield
    finally:
        for line in timing_lines(stages) if (stages := stop()) else ():
            click.echo(line, err=True)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Documentation sites for ONNX operator sets.

    \b
    Make a site of all of ONNX, in the folder site:
        opsetdocs build

    \b
    Begin a project for operators of your own:
        opsetdocs new acme-ops --domain com.acme.ops

    \b
    Look at it while you write, where mkdocs.yml lists the plugin opsetdocs:
        mkdocs serve

    Each command explains itself: `opsetdocs check --help`.
    """  # noqa: D301 -- click reads the control character \b


@main.command(epilog=_exit_codes("there are warnings, and --strict is given"))
@_sources_argument
@_config_file_option
@click.option(
    "-d",
    "--site-dir",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the finished site.  [default: site, or what mkdocs.yml says]",
)
@click.option("--strict", is_flag=True, help="Publish nothing if there is any warning, and exit with 1.")
@click.option(
    "--cache",
    metavar="FOLDER",
    callback=_not_empty,
    help="Where this build finds what earlier ones made, and keeps what it makes; off for nowhere.  "
    "[default: what mkdocs.yml says, or the user's folder of caches]",
)
@_timings_option
def build(
    sources: tuple[str, ...],
    config_file: Path | None,
    site_dir: Path | None,
    strict: bool,
    cache: str | None,
    timings: bool,
) -> None:
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
    from opsetdocs.publish import check_replaceable, publish, workplace

    _end_as_interrupted()
    project = find_project(config_file)
    target = Path(os.path.realpath(site_dir or project.site_dir))
    check_replaceable(target, (*project.reads, *filter(None, map(fixed_part, sources))))
    with _timed(timings):
        with workplace(target, on_wait=lambda: _say_that_it_waits(target)) as work:
            variables = handover.environment(
                sources=sources,
                quiet=not sys.stderr.isatty(),
                report=work.report,
                published=target,
                timings=timings,
                cache=cache,
            )
            report = _run_mkdocs(project.config_file, work, variables, strict=strict)
            with stage("publishing"):
                publish(work.staging, target, report.kept)
        click.echo(f"{describe(report.summary)} in {_display(target)}")
        if report.warnings:
            click.echo(f"{report.warnings}; with --strict nothing would have been published")


def _end_as_interrupted() -> None:
    """Have a build that is told to end, or whose terminal closes, clean up as it does on Ctrl-C."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_DFL:
            signal.signal(getattr(signal, name), signal.default_int_handler)


def _say_that_it_waits(site: Path) -> None:
    click.echo(f"Waiting for another build of {_display(site)} to end.", err=True)


def _run_mkdocs(
    config_file: Path, work: Workplace, variables: Mapping[str, str], *, strict: bool
) -> handover.Report:
    """Have MkDocs build the site, and return what our plugin says of it.

    MkDocs runs as a process of its own: both ways of building then print and fail alike, and it may end the
    process as it likes.
    """
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(config_file.resolve())]
    command += ["--site-dir", str(work.staging), *(["--strict"] if strict else [])]
    code = _wait_for(command, {"SOURCE_DATE_EPOCH": _today(), **os.environ, **variables}, work.lock)
    if code < 0:
        raise OpsetdocsError(f"MkDocs was ended by signal {-code}")
    report = handover.read_report(work.report)
    if code > 0:
        # MkDocs exits with 1 whatever happens. Where it wrote every page, what it failed on is a warning.
        sys.exit(_UNUSABLE if report is None else _BROKEN_RULES)
    if report is None:
        raise ConfigError(f"{config_file} switches the plugin opsetdocs off")
    divide(report.stages)
    return report


def _wait_for(command: Sequence[str], variables: dict[str, str], lock: int) -> int:
    # In a session of its own, so that Ctrl-C reaches this process alone and one message is printed. What it
    # prints goes to standard error: the summary is all that standard output gets. It has the lock, so that no
    # other build begins while it lives, even if this process is killed.
    inherited = () if sys.platform == "win32" else (lock,)
    with subprocess.Popen(  # noqa: S603
        command, env=variables, stdout=2, start_new_session=True, pass_fds=inherited
    ) as process:
        try:
            return process.wait()
        except BaseException:
            _end(process)
            raise


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_GRACE)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):  # one who interrupts twice waits no longer
        process.kill()


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
        name: counted(getattr(summary, name), name)
        for name in ("operators", "versions", "opsets", "domains", "pages")
    }
    return "{operators}, {versions}, {opsets} in {domains}: {pages}".format_map(parts)


def _display(folder: Path) -> str:
    inside = folder.is_relative_to(Path.cwd())
    return visible(f"{folder.relative_to(Path.cwd()) if inside else folder}{os.sep}")


@main.command(epilog=_exit_codes("a finding counts: an error, or what --fail-on says"))
@_sources_argument
@_config_file_option
@click.option(
    "--against",
    metavar="SOURCE",
    help="What was published before: a source, git:REV for the same sources at a git revision, or "
    "git:REV:PATH for another place there.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    show_default=True,
    help="Text for people, data for programs, GitHub annotations, or SARIF 2.1.0 for code scanning.",
)
@click.option("--select", multiple=True, metavar="RULE", help="Only these rules: ids or patterns (DOC_*).")
@click.option("--ignore", multiple=True, metavar="RULE", help="All rules but these.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note", "never"]),
    help="The lowest level of a finding with which the command exits with 1.  [default: error]",
)
@click.option("--strict", is_flag=True, help="The same as --fail-on warning.")
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file of known findings, which are not reported again.",
)
@click.option(
    "--write-baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the findings to a file of known ones.",
)
@click.option("--all", "all_", is_flag=True, help="Show every finding of the text, however many are alike.")
@_timings_option
def check(
    sources: tuple[str, ...],
    config_file: Path | None,
    against: str | None,
    format_: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str | None,
    strict: bool,
    baseline: Path | None,
    write_baseline: Path | None,
    all_: bool,
    timings: bool,
) -> None:
    """Check operator sets against the rules of the format.

    A SOURCE is a file, a folder, a glob pattern in quotes, - for standard input, or onnx for the installed
    onnx package. Without SOURCE the command checks what mkdocs.yml or pyproject.toml names; without these,
    all of ONNX. `opsetdocs rules` explains the rules.

    \b
    Examples:
        opsetdocs check opsets/
        opsetdocs check opsets/ --against git:v1.2
        opsetdocs check --strict --ignore 'DOC_*' --format sarif > opsetdocs.sarif
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs import baseline as known_findings
    from opsetdocs.check import check as check_rules
    from opsetdocs.check import load_published
    from opsetdocs.check_settings import as_patterns, find_settings
    from opsetdocs.sources import INSTALLED_ONNX, load

    if strict and fail_on not in (None, "warning"):
        raise click.UsageError(
            f"--strict means --fail-on warning, so it cannot stand beside --fail-on {fail_on}"
        )
    settings = find_settings(config_file)
    stated = settings.options
    options = replace(
        stated,
        select=as_patterns(_listed(select), "--select") or stated.select,
        ignore=as_patterns(_listed(ignore), "--ignore") or stated.ignore,
        fail_on=fail_on or ("warning" if strict else stated.fail_on),
        # What is written is everything that is found.
        baseline=None if write_baseline else baseline or stated.baseline,
        against=against or stated.against,
    )
    named, base = (sources, Path()) if sources else (settings.sources, settings.base)
    if not named:
        named = (INSTALLED_ONNX,)
        if not settings.is_listed:
            click.echo(_NOTHING_NAMED, err=True)
    with _timed(timings):
        with stage("reading"):
            loaded = load(named, base=base, allow_unusable=True)
            published = load_published(options.against, named, base=base) if options.against else ()
        count("reading", sets=len(loaded.sets) + len(published))
        with stage("checking"):
            report = check_rules(loaded, options, base=base, published=published)
        count("checking", findings=len(report.findings))
        with stage("report"):
            _echo_report(report, format_, base, all_=all_)
    if write_baseline is not None:
        if report.unusable:
            files = counted(report.unusable, "files")
            raise OpsetdocsError(
                f"{write_baseline} is not written: {files} cannot be used, and may hide findings"
            )
        number = known_findings.write(report.findings, write_baseline, base)
        click.echo(f"wrote {counted(number, 'findings')} to {write_baseline}", err=True)
    if report.unusable:
        sys.exit(_UNUSABLE)
    if write_baseline is None and options.fails(report.findings):
        sys.exit(_BROKEN_RULES)


def _listed(values: Sequence[str]) -> list[str]:
    """Divide what is given several times, or at once with commas."""
    return [item for value in values for item in value.split(",") if item.strip()]


_NOTHING_NAMED = (
    "all of ONNX is checked, as installed: no source is named, and here is no mkdocs.yml with the plugin"
    " opsetdocs and no pyproject.toml whose [tool.opsetdocs] names sources"
)


def _echo_report(report: Report, format_: str, base: Path, *, all_: bool) -> None:
    from opsetdocs import check_report as reports

    if format_ == "json":
        _echo_json(reports.check_data(report))
    elif format_ == "sarif":
        _echo_json(reports.sarif_data(reports.in_repository(report, base)))
    elif format_ == "github":
        for line in reports.github_lines(reports.in_repository(report, base)):
            click.echo(line)
    else:
        echo(reports.text_lines(report, width(), all_=all_))


@main.command(epilog=_exit_codes())
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--from",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="A model, a page like ONNX's Operators.md, a script, or onnxruntime; may be given several times.",
)
@click.option("--domain", metavar="DOMAIN", help="Write this domain only.")
@click.option("--opset", type=click.IntRange(min=1), metavar="N", help="Write this opset only.")
@click.option(
    "--format",
    "format_",
    type=click.Choice([item.value for item in Format]),
    default=Format.BINARY.value,
    show_default=True,
    help="The encoding of the files.",
)
def export(
    folder: Path, sources: tuple[str, ...], domain: str | None, opset: int | None, format_: str
) -> None:
    """Write the opsets of onnx, or of other sources, as operator sets.

    Without --from they are those of the installed onnx package. Each file in the folder DIR is an
    OperatorSetProto: every operator of one opset, with its signature in its doc_string.

    A SOURCE after --from is a model with functions, a Markdown page in the form of ONNX's Operators.md or
    onnxruntime's ContribOperators.md, a Python file with functions of onnxscript, which is run, or
    onnxruntime for the operators that the installed package adds to those of ONNX.

    \b
    Examples:
        opsetdocs export opsets
        opsetdocs export opsets --domain ai.onnx --opset 22 --format text
        opsetdocs export opsets --from ContribOperators.md --from model.onnx
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs.export import export as write_opsets
    from opsetdocs.export.other_sources import export_described

    if sources:
        written = export_described(folder, sources, domain=domain, opset=opset, format=Format(format_))
    else:
        written = write_opsets(folder, domain=domain, opset=opset, format=Format(format_))
    click.echo(f"{counted(len(written), 'files')} in {_display(folder.resolve())}")


def _format_option(help_text: str) -> Callable[[_Function], _Function]:
    formats = click.Choice(["text", "markdown", "json"])
    return click.option(
        "--format", "format_", type=formats, default="text", show_default=True, help=help_text
    )


@main.command(epilog=_exit_codes())
@click.argument("source")
@click.argument("name", required=False)
@_format_option("Text for people, the Markdown of a site's page, or data in the form of catalog.json.")
@click.option("--examples", is_flag=True, help="Show the examples of an operator in the text.")
def show(source: str, name: str | None, format_: str, examples: bool) -> None:
    """Show the operators of a source, or one operator with its history.

    A SOURCE is a file, a folder, a glob pattern in quotes, - for standard input, or onnx for the installed
    onnx package. A NAME is Conv, ai.onnx.Conv, or Conv-11 for a version; upper and lower case count only
    where several names differ in nothing else.

    \b
    Examples:
        opsetdocs show onnx
        opsetdocs show onnx Conv-11
        opsetdocs show opsets/ com.acme.ops.ScaleShift
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs import show as shown
    from opsetdocs.lookup import find

    catalog, unusable = _read(source)
    found = None if name is None else find(catalog, name)
    if format_ == "json":
        _echo_json(shown.data(catalog, found))
    elif format_ == "markdown":
        echo(map(Line, visible_lines(shown.markdown(catalog, found).rstrip("\n"))))
    elif found is None:
        echo(shown.list_lines(catalog, width()))
    else:
        echo(shown.operator_lines(found, width(), examples=examples))
    if unusable:
        sys.exit(_UNUSABLE)


@main.command(epilog=_exit_codes("there is a difference, and --exit-code is given"))
@click.argument("old")
@click.argument("new")
@click.option("--domain", metavar="DOMAIN", help="Compare this domain only.")
@click.option(
    "--from",
    "old_opset",
    type=click.IntRange(min=1),
    metavar="N",
    help="The opset of OLD.  [default: the highest one]",
)
@click.option(
    "--to",
    "new_opset",
    type=click.IntRange(min=1),
    metavar="N",
    help="The opset of NEW.  [default: the highest one]",
)
@_format_option("Text for people, Markdown for reports, or data for programs.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if there is a difference.")
def diff(
    old: str,
    new: str,
    domain: str | None,
    old_opset: int | None,
    new_opset: int | None,
    format_: str,
    exit_code: bool,
) -> None:
    """Say what changed between two opsets, the worst first.

    OLD and NEW are sources: a file, a folder, a glob pattern in quotes, - for standard input, or onnx for the
    installed onnx package. In each domain that both have, the highest opset of OLD is compared with the
    highest opset of NEW; --from and --to choose others, of the same source too.

    \b
    Examples:
        opsetdocs diff com.acme.ops-3.textproto com.acme.ops-4.textproto
        opsetdocs diff published/ opsets/
        opsetdocs diff onnx onnx --domain ai.onnx --from 13 --to 21
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs import difference_report as report
    from opsetdocs.compare_sets import compare_sets

    catalog, unusable = _read(old)
    newer, unusable_newer = (catalog, 0) if new == old else _read(new)
    if unusable or unusable_newer:
        raise OpsetdocsError("nothing is compared, since what is in unusable files would seem to be removed")
    difference = compare_sets(catalog, newer, domain=domain, old_opset=old_opset, new_opset=new_opset)
    if format_ == "json":
        _echo_json(report.difference_data(difference))
    elif format_ == "markdown":
        echo(map(Line, visible_lines(report.difference_markdown(difference))))
    else:
        echo(report.difference_lines(difference, width()))
    if exit_code and not difference.is_empty:
        sys.exit(_DIFFERENT)


def _read(source: str) -> tuple[Catalog, int]:
    """Read a source, print what there is to say about its files, and return how many are unusable, too."""
    from opsetdocs.history import build_catalog
    from opsetdocs.rules import RULES, run
    from opsetdocs.sources import load

    loaded = load((source,), base=Path())
    # Of the rules, those count here without which an entry or a set is left out.
    left_out = run(loaded.sets, rules=map(RULES.__getitem__, _IDENTITY))
    unusable = log_findings((*loaded.findings, *left_out), _standard_error())
    catalog = build_catalog(loaded.sets)
    if not catalog.domains:
        raise SourceError(f"{source}: no operator set has an opset_version")
    return catalog, unusable


_IDENTITY = ("OPSET_VERSION_PRESENT", "OPERATOR_OP_TYPE_PRESENT")


class _Visible(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(visible_lines(super().format(record)))


def _standard_error() -> logging.Logger:
    """Return a log of our own, which no other program's settings reach."""
    log = logging.Logger("opsetdocs")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Visible("%(levelname)s: %(message)s"))
    log.addHandler(handler)
    return log


def _echo_json(data: object) -> None:
    # JSON's own escapes: whatever the terminal's encoding is, and whatever a name holds, also `##vso[`.
    text = json.dumps(data, indent=2).replace("\x7f", "\\u007f").replace("##", r"#\u0023")
    click.echo(_ESCAPE.sub(_without_lone_surrogate, text))


_ESCAPE = re.compile(r"\\u(?:d[89ab][0-9a-f]{2}\\ud[c-f]|(?P<lone>d[89a-f]))[0-9a-f]{2}|\\.")
"""An escape in JSON: of a character with two halves, of one half of such a character, or another one."""


def _without_lone_surrogate(escape: re.Match[str]) -> str:
    # Half a character, as in a file's name that is no UTF-8, is refused by many readers of JSON.
    return r"\ufffd" if escape["lone"] else escape[0]


@main.command(epilog=_exit_codes())
@click.argument("id_", metavar="[ID]", required=False)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Text for people, or data for programs.",
)
def rules(id_: str | None, format_: str) -> None:
    """List the rules of check, or explain one of them.

    An ID is that of a rule, in upper or lower case. A rule is explained by the sentence of the specification,
    what it means, how to mend what breaks it, and an example of both.

    \b
    Examples:
        opsetdocs rules
        opsetdocs rules OPERATOR_SINCE_VERSION_WITHIN_SET
        opsetdocs rules --format json
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs import rule_report as report
    from opsetdocs.rule_book import explained, find_rule
    from opsetdocs.rules import RULES

    if id_ is None:
        listed = tuple(RULES.values())
        if format_ == "json":
            _echo_json(report.rules_data(listed))
        else:
            echo(report.rule_lines(listed, width()))
    else:
        rule = explained(find_rule(id_))
        if format_ == "json":
            _echo_json(report.explained_data(rule))
        else:
            echo(report.explained_lines(rule, width()))


@main.command(epilog=_exit_codes())
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--domain",
    required=True,
    metavar="DOMAIN",
    help="The domain of the operators: a name below one that you own, reversed.",
)
def new(folder: Path, domain: str) -> None:
    """Begin a documentation project for a domain of your own.

    The folder DIR gets two opsets in text form that show the conventions, an mkdocs.yml, a start page, a
    workflow that publishes to GitHub Pages, and a hook for pre-commit. It checks, previews and builds as it
    is. DIR has to be new or empty.

    \b
    Example:
        opsetdocs new acme-ops --domain com.acme.ops
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs.new_project import new_project

    written = new_project(folder, domain)
    click.echo(f"{counted(len(written), 'files')} in {_display(folder.resolve())}\n\nNext:\n")
    if folder.resolve() != Path.cwd():
        click.echo(f"    cd {shlex.quote(str(folder))}")
    for command in ("opsetdocs check", "mkdocs serve", "opsetdocs build"):
        click.echo(f"    {command}")


@main.command(epilog=_exit_codes())
@_config_file_option
@click.option(
    "--cache",
    "folder",
    metavar="FOLDER",
    callback=_not_empty,
    help="The folder of caches.  [default: what mkdocs.yml says, or the user's own one]",
)
@click.option("--clear", is_flag=True, help="Remove what is kept, of all projects.")
def cache(config_file: Path | None, folder: str | None, clear: bool) -> None:
    """Say where builds keep what they made, and how large that is.

    Nothing but time is lost by removing it: the next build makes it again.

    \b
    Examples:
        opsetdocs cache
        opsetdocs cache --clear --cache .cache/opsetdocs
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs.cache_folder import OFF, cache_files
    from opsetdocs.project import find_entry

    base = Path()
    if folder is None and (entry := find_entry(config_file)):
        stated = entry.options.get("cache")
        # YAML reads a bare `off` as false.
        folder = OFF if stated is False else stated if isinstance(stated, str) else None
        base = entry.config_file.parent
    if folder == OFF:
        click.echo("off")
        return
    place, files = cache_files(base.absolute() / folder if folder else None)
    size = sum(file.stat().st_size for file in files)
    if clear:
        for file in files:
            file.unlink(missing_ok=True)
    kept = f"{counted(len(files), 'caches')}, {size / 1e6:,.1f} MB"
    click.echo(f"{_display(place)}: {'removed ' if clear else ''}{kept}")


@main.command(epilog=_exit_codes())
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@_sources_argument
@_config_file_option
@click.option("--index-html", is_flag=True, help="Have links end in index.html, for a site opened from disk.")
def tree(folder: Path, sources: tuple[str, ...], config_file: Path | None, index_html: bool) -> None:
    """Write the site as Markdown, for generators without our plugin.

    DIR is a folder below the docs folder of Zensical, ProperDocs or MkDocs. Its pages get the addresses,
    anchors and texts that the plugin gives them. What is in DIR already stays, pages of the last time are
    replaced or removed, and a page of yours at one of our addresses wins.

    A SOURCE is that of build. Without SOURCE the pages show what mkdocs.yml or pyproject.toml names; without
    these, all of ONNX.

    \b
    Example:
        opsetdocs tree docs/operators opsets/
    """  # noqa: D301 -- click reads the control character \b
    from opsetdocs.build import build_site
    from opsetdocs.site_options import find_site_options
    from opsetdocs.tree import write_tree

    # Redirects stand at the root of the whole site, not in the tree.
    options = replace(find_site_options(config_file, directory_urls=not index_html), redirects=None)
    if sources:
        options = replace(options, sources=sources, base=Path())
    site = build_site(options)
    log = _standard_error()
    if log_findings(site.findings, log):
        raise OpsetdocsError("nothing is written, since files cannot be used")
    written = write_tree(folder, site)
    for name in written.kept:
        log.warning("%s stays as it is: somebody else wrote it, or changed it", folder / name)
    click.echo(f"{describe(site.summary)} in {_display(folder.resolve())}")
