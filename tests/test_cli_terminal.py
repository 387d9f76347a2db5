"""The commands on a terminal: colours, completion."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "site_config/docs/project/commands.md"
PROGRESS = re.compile(rb"(\r[^\r\n]*)+\r(?!\n)")
"""What a slow machine shows meanwhile, and erases."""

COLOUR = re.compile(rb"\x1b\[[0-9;]*m")

BROKEN = """\
magic: "ONNXOPSET"
ir_version: 10
domain: "com.acme.ops"
opset_version: 1
operator { op_type: "A" since_version: 2 status: STABLE doc_string: "It is new." }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ops.textproto").write_text(BROKEN, "utf-8")
    return tmp_path


def on_terminal(arguments: Sequence[str], cwd: Path, **environment: str) -> bytes:
    """Run a command on a terminal of its own, and return what it shows there."""
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    terminal, ours = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "opsetdocs", *arguments],
        cwd=cwd,
        env=variables | {"TERM": "xterm-256color", "COLUMNS": "80"} | environment,
        stdin=subprocess.DEVNULL,
        stdout=ours,
        stderr=ours,
    ):
        os.close(ours)
        shown = b""
        while select.select([terminal], [], [], 60)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:  # how Linux says that nobody writes any more
                break
    os.close(terminal)
    return shown


COMMANDS = [
    ("check", "ops.textproto"),
    ("show", "ops.textproto"),
    ("show", "ops.textproto", "A"),
    ("diff", "ops.textproto", "ops.textproto"),
    ("rules",),
    ("rules", "OPSET_MAGIC"),
]
PLAIN = [("diff", "ops.textproto", "ops.textproto"), ("rules",)]
"""What says nothing by colours; a difference would."""


@pytest.mark.parametrize("arguments", [item for item in COMMANDS if item not in PLAIN], ids=" ".join)
def test_there_are_colours_on_a_terminal(folder: Path, arguments: Sequence[str]) -> None:
    assert COLOUR.search(on_terminal(arguments, folder))


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("value", ["1", "0"])
def test_no_color_switches_them_off(folder: Path, arguments: Sequence[str], value: str) -> None:
    shown = on_terminal(arguments, folder, NO_COLOR=value)
    assert shown
    assert b"\x1b" not in shown


def test_an_empty_no_color_says_nothing(folder: Path) -> None:
    assert COLOUR.search(on_terminal(("rules", "OPSET_MAGIC"), folder, NO_COLOR=""))


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_there_is_no_colour_in_a_file(folder: Path, arguments: Sequence[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "opsetdocs", *arguments], cwd=folder, capture_output=True, check=False
    )
    assert done.stdout
    assert b"\x1b" not in done.stdout + done.stderr


def test_the_words_are_the_same_with_and_without_colours(folder: Path) -> None:
    coloured = on_terminal(("check", "ops.textproto"), folder)
    plain = on_terminal(("check", "ops.textproto"), folder, NO_COLOR="1")
    assert PROGRESS.sub(b"", COLOUR.sub(b"", coloured)) == PROGRESS.sub(b"", plain)


# Completion


def documented(shell: str) -> str:
    """Return the line that a shell's start-up file needs, as the page shows it."""
    lines = re.findall(rf"^(.*\S) +# {shell}: ", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(lines) == 1
    return str(lines[0])


@pytest.fixture
def on_path(tmp_path: Path) -> Mapping[str, str]:
    """The environment in which `opsetdocs` is the command under test."""
    programs = tmp_path / "bin"
    programs.mkdir()
    command = programs / "opsetdocs"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m opsetdocs "$@"\n', "utf-8")
    command.chmod(0o755)
    # The program's name is that by which it was called, in the script, too.
    return os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}


COMPLETE = {
    # What the shell itself does when somebody presses Tab after `opsetdocs bu`.
    "bash": """\
{line}
COMP_WORDS=(opsetdocs {typed}) COMP_CWORD=1
_opsetdocs_completion opsetdocs
printf '%s\\n' "${{COMPREPLY[@]}}"
""",
    "zsh": """\
autoload -U compinit && compinit -u
compadd() {{
  while [ "$1" != -a ]; do shift; done
  printf '%s\\n' "${{(@P)2}}"
}}
_describe() {{
  while [ "${{1#-}}" != "$1" ]; do shift; done
  for item in "${{(@P)2}}"; do echo "${{item%%:*}}"; done
}}
{line}
words=(opsetdocs {typed}) CURRENT=2
_opsetdocs_completion
""",
    "fish": "{line}\ncomplete -C 'opsetdocs {typed}'\n",
}


@pytest.mark.parametrize("shell", COMPLETE)
@pytest.mark.parametrize(("typed", "expected"), [("bu", {"build"}), ("r", {"rules"}), ("", None)])
def test_a_shell_completes_commands(
    on_path: Mapping[str, str], tmp_path: Path, shell: str, typed: str, expected: set[str] | None
) -> None:
    from opsetdocs.cli import main

    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    script = COMPLETE[shell].format(line=documented(shell), typed=typed or '""' if shell != "fish" else typed)
    done = subprocess.run(
        [program, "-c", script], env=on_path, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    words = {line.split()[0] for line in done.stdout.splitlines() if line.strip()}
    assert words == (expected or set(main.commands)), done.stderr
