"""The findings as SARIF, which services for code scanning read.

See https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html.

A result names its rule. A file that cannot be used at all breaks a rule of its own here, since services show
results alone; what else belongs to no rule, such as a file that was passed over, is a notification. Nothing
depends on the time, the machine or the folder of the project.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from importlib import metadata
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from opsetdocs.catalog_json import Json, given
from opsetdocs.check_report.annotations import annotation_line, place_in_text
from opsetdocs.check_report.report import Report
from opsetdocs.file_names import is_file
from opsetdocs.finding_groups import in_order
from opsetdocs.findings import Finding, Level, Place, shown
from opsetdocs.git_source import PREFIX, without_revision
from opsetdocs.rules import RULES, Rule

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_FINGERPRINT = "opsetdocs/v1"
_FILE_USABLE = "FILE_USABLE"


def sarif_data(report: Report) -> Json:
    """Return the findings as a SARIF log of one run."""
    findings = in_order(report.findings)
    results = [finding for finding in findings if _rule_id(finding)]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver()},
                "invocations": [
                    {
                        "executionSuccessful": not report.unusable,
                        "toolExecutionNotifications": [
                            _stated(finding) for finding in findings if not _rule_id(finding)
                        ],
                    }
                ],
                "originalUriBaseIds": {
                    _ROOT: {"description": _message("The folder to which the names of files refer.")}
                },
                "columnKind": "unicodeCodePoints",
                "results": _results(results, tuple(filter(is_file, report.names))),
            }
        ],
    }


# The rules


def _driver() -> Json:
    return {
        "name": "opsetdocs",
        **given(semanticVersion=_version()),
        "rules": [*map(_rule, RULES.values()), _file_usable()],
    }


def _version() -> str | None:
    try:
        return metadata.version("opsetdocs")
    except metadata.PackageNotFoundError:  # a checkout on the path
        return None


def _rule(rule: Rule) -> Json:
    help_ = "\n\n".join(filter(None, (f"{rule.sentence} ({rule.source})", rule.purpose, rule.mend)))
    return {
        "id": rule.id,
        "shortDescription": _message(rule.sentence),
        "fullDescription": _message(rule.purpose or rule.sentence),
        "help": {**_message(help_.replace("`", "")), "markdown": _placeholders_escaped(help_)},
        "defaultConfiguration": {"level": rule.level.word},
    }


def _file_usable() -> Json:
    sentence = _message("A file can be read as an OperatorSetProto.")
    return {
        "id": _FILE_USABLE,
        "shortDescription": sentence,
        "fullDescription": sentence,
        "help": _message(
            "A file that cannot be read is not checked. The message says what is wrong with it."
        ),
        "defaultConfiguration": {"level": Level.ERROR.word},
    }


def _rule_id(finding: Finding) -> str:
    return finding.rule or (_FILE_USABLE if finding.unusable else "")


# The findings


def _results(findings: Iterable[Finding], checked: Sequence[str]) -> list[Json]:
    """Return a result for each finding.

    Args:
        findings: The findings.
        checked: The files that were checked: services want a file for each result, even for one that is gone.
    """
    indices = {rule: index for index, rule in enumerate((*RULES, _FILE_USABLE))}
    seen: Counter[str] = Counter()
    results = []
    for finding in findings:
        fingerprint = _fingerprint(finding)
        seen[fingerprint] += 1
        results.append(
            {
                "ruleId": _rule_id(finding),
                **given(ruleIndex=indices.get(_rule_id(finding))),
                **_stated(finding, checked),
                **given(relatedLocations=[_related(place) for place in dict.fromkeys(finding.others)]),
                # The second of several that are alike is another one.
                "partialFingerprints": {_FINGERPRINT: f"{fingerprint}:{seen[fingerprint]}"},
            }
        )
    return results


def _stated(finding: Finding, checked: Sequence[str] = ()) -> Json:
    """What a result and a notification have in common."""
    location = _location(finding.place, finding.name)
    if finding.file and not is_file(finding.file) and checked:
        location["physicalLocation"] = {"artifactLocation": _artifact(_nearest(finding.file, checked))}
    text = "\n".join([annotation_line(finding), *map(shown, finding.details)])
    return {
        "level": finding.level.word,
        "message": _message(text),
        **given(locations=[location] if location else []),
    }


def _fingerprint(finding: Finding) -> str:
    """A digest that stays the same when lines move, or the words of a message change."""
    identity = json.dumps([finding.rule, finding.file, finding.name, finding.field])
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


# Places


def _location(place: Place, name: str = "") -> Json:
    if not is_file(place.file):
        return _logical(place, name)
    region = given(startLine=place.line, startColumn=place.line and place.column)
    physical = {"artifactLocation": _artifact(place.file), **given(region=region)}
    return {"physicalLocation": physical, **_logical(place, name)}


def _nearest(name: str, files: Sequence[str]) -> str:
    """Return the file with the most folders in common with one that is not there, or else the likest name."""
    path = PurePosixPath(without_revision(name).removeprefix(PREFIX))
    parents = set(path.parents)
    return max(
        files,
        key=lambda file: (
            len(parents.intersection(PurePosixPath(file).parents)),
            SequenceMatcher(None, path.name, PurePosixPath(file).name).ratio(),
        ),
    )


def _related(place: Place) -> Json:
    return {**_location(place), "message": _message(f"in conflict with {place}")}


def _logical(place: Place, name: str) -> Json:
    """The operator, and the set that it stands in where that is no file."""
    place = replace(place_in_text(place), line=None, column=None)
    logical = given(name=shown(name), fullyQualifiedName=str(place))
    return {"logicalLocations": [logical]} if logical else {}


def _artifact(file: str) -> Json:
    if Path(file).is_absolute():  # it lies outside the folder of the project
        path = file if file.startswith("/") else f"/{file}"
        return {"uri": f"file://{quote(path, safe='/:', errors='surrogatepass')}"}
    return {"uri": quote(file, errors="surrogatepass"), "uriBaseId": _ROOT}


# Texts


def _message(text: str) -> Json:
    """A text without links: `[a](b)` would be one in plain text, too."""
    return {"text": _placeholders_escaped(text.replace("](", "] ("))}


def _placeholders_escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
