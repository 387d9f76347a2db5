"""Publishing a project that `opsetdocs new` made: to branches of a local remote, in versions, on hosts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from mkdocs.utils.yaml import yaml_load
from playwright.sync_api import Browser, Page, expect

from conftest import run_opsetdocs
from folders import content
from html_site import BuiltSite
from opsetdocs.new_project import new_project
from serving import POLICY, serving

TOP = Path(__file__).parents[1]
PAGES = TOP / "site_config/docs/project"
DOMAIN = "com.acme.ops"
SITE_URL = "https://acme.example/ops/"

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="needs git")


def run(*command: str, cwd: Path, **environment: str) -> str:
    """Run a command as somebody without any settings for Git, but with a name."""
    names = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
    own = {f"GIT_{name}": "a@example.com" for name in names}
    own |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    own["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | own | environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def committed(folder: Path, remote: Path) -> Path:
    """Make a project, and commit it in a repository that has a remote."""
    new_project(folder, DOMAIN)
    run("git", "init", "--quiet", "--bare", str(remote), cwd=folder)
    run("git", "init", "--quiet", "--initial-branch", "main", cwd=folder)
    run("git", "add", ".", cwd=folder)
    run("git", "commit", "--quiet", "--message", "One", cwd=folder)
    run("git", "remote", "add", "origin", str(remote), cwd=folder)
    run("git", "push", "--quiet", "origin", "main", cwd=folder)
    return folder


def published(remote: Path, folder: Path) -> Path:
    """Return what a host of the branch `gh-pages` shows."""
    run("git", "clone", "--quiet", "--branch", "gh-pages", str(remote), str(folder), cwd=remote)
    return folder


# Of the page itself


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project") / "acme-ops"
    new_project(folder, DOMAIN)
    return folder


@pytest.fixture(scope="module")
def site(project: Path) -> BuiltSite:
    built = run_opsetdocs("build", "--strict", "--site-dir", "with", cwd=project, SITE_URL=SITE_URL)
    assert (built.returncode, built.stderr) == (0, "")
    return BuiltSite(project / "with")


def canonical(site: BuiltSite) -> dict[str, list[str]]:
    return {
        address: [
            node.attributes["href"]
            for node in page.root.find_all("link")
            if node.attributes.get("rel") == "canonical"
        ]
        for address, page in site.pages.items()
        if address != "404.html"
    }


def in_sitemap(site: BuiltSite) -> list[str]:
    tree = ET.parse(site.folder / "sitemap.xml")
    return [str(node.text) for node in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]


def test_each_page_has_its_canonical_address(site: BuiltSite) -> None:
    expected = {address: [SITE_URL + address.removesuffix("index.html")] for address in site.pages}
    del expected["404.html"]
    assert canonical(site) == expected


def test_the_sitemap_names_each_page_once(site: BuiltSite) -> None:
    listed = in_sitemap(site)
    assert len(set(listed)) == len(listed)
    assert set(listed) == {address for (address,) in canonical(site).values()}
    assert f"{SITE_URL}{DOMAIN}/operators/SoftClip/1-2/" in listed


def test_without_an_address_nothing_is_said_of_it(project: Path) -> None:
    built = run_opsetdocs("build", "--strict", "--site-dir", "without", cwd=project, SITE_URL="")
    assert (built.returncode, built.stderr) == (0, "")
    site = BuiltSite(project / "without")
    assert not any(canonical(site).values())
    assert in_sitemap(site) == []
    assert site.broken_links() == []


def test_the_page_for_what_is_not_there_finds_its_parts_from_anywhere(site: BuiltSite) -> None:
    page = site.pages["404.html"]
    links = [link for link in page.links if not link.startswith(("#", "https://"))]
    assert links
    for link in links:
        assert link.startswith("/ops/")
        target = site.folder / link.removeprefix("/ops/")
        assert target.is_file() or (target / "index.html").is_file(), link


# On branches


@needs_git
def test_gh_deploy_pushes_the_site(tmp_path: Path) -> None:
    project, remote = committed(tmp_path / "project", tmp_path / "remote"), tmp_path / "remote"
    run("mkdocs", "gh-deploy", "--strict", cwd=project, SITE_URL=SITE_URL)
    pushed = published(remote, tmp_path / "first")
    files = {name: data for name, data in content(pushed).items() if not name.startswith(".git/")}
    assert (pushed / ".nojekyll").exists()  # Or GitHub would leave out what begins with an underscore.
    assert {name for name in files if name != ".nojekyll"} == content(project / "site").keys()
    assert SITE_URL in files[f"{DOMAIN}/index.html"].decode()
    assert run("git", "status", "--porcelain", cwd=project) == ""

    (project / f"opsets/{DOMAIN}-2.textproto").unlink()
    (project / "docs/index.md").write_text("# Start\n", "utf-8")
    run("mkdocs", "gh-deploy", "--strict", cwd=project, SITE_URL=SITE_URL)
    second = published(remote, tmp_path / "second")
    assert not (second / DOMAIN / "opsets/2").exists()
    assert (second / DOMAIN / "opsets/1/index.html").is_file()


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions of a site that mike has published: the first one without the second opset."""
    if not shutil.which("git"):
        pytest.skip("needs git")
    folder = tmp_path_factory.mktemp("versions")
    project = committed(folder / "project", folder / "remote")
    second = project / f"opsets/{DOMAIN}-2.textproto"
    kept = second.read_bytes()
    second.unlink()
    for version, *aliases in (("1.0", "latest"), ("1.1", "latest")):
        run("mike", "deploy", "--push", "--update-aliases", version, *aliases, cwd=project, SITE_URL=SITE_URL)
        second.write_bytes(kept)
    run("mike", "set-default", "--push", "latest", cwd=project)
    return published(folder / "remote", folder / "published")


def test_each_version_is_whole(versions: Path) -> None:
    for version, has_second in (("1.0", False), ("1.1", True)):
        site = BuiltSite(versions / version)
        assert site.broken_links() == []
        assert (f"{DOMAIN}/opsets/2/index.html" in site.pages) == has_second
        start = f"{SITE_URL}{version}/"
        assert all(address.startswith(start) for (address,) in canonical(site).values())
        assert all(address.startswith(start) for address in in_sitemap(site))
        for page in site.pages.values():
            assert not [link for link in page.links if "../" * page.address.count("/") + "../" in link], (
                page.address
            )


def test_the_alias_is_the_newest_version(versions: Path) -> None:
    assert content(versions / "latest") == content(versions / "1.1")
    assert 'url=latest/"' in (versions / "index.html").read_text("utf-8")


@needs_git
def test_the_newest_version_can_be_the_canonical_one(tmp_path: Path) -> None:
    project = committed(tmp_path / "project", tmp_path / "remote")
    config = (project / "mkdocs.yml").read_text("utf-8")
    (shown,) = (text for text in fenced("publishing.md", "yaml") if "canonical_version" in text)
    plugin = shown.partition("  - opsetdocs\n")[2]
    (project / "mkdocs.yml").write_text(config.replace("plugins:\n", f"plugins:\n{plugin}"), "utf-8")
    run("mike", "deploy", "--push", "1.0", cwd=project, SITE_URL=SITE_URL)
    page = published(tmp_path / "remote", tmp_path / "published") / "1.0" / DOMAIN / "index.html"
    assert f'<link rel="canonical" href="{SITE_URL}latest/{DOMAIN}/">' in page.read_text("utf-8")


@pytest.fixture
def visit(browser: Browser, versions: Path) -> Iterator[tuple[Page, str]]:
    with serving(versions) as address:
        page = browser.new_page(viewport={"width": 390, "height": 800})
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        yield page, address
        page.close()
    # Of a page that the other version has not, the browser says that it was not found.
    assert [text for text in complaints if "404" not in text] == []


@pytest.mark.browser
@pytest.mark.parametrize(
    ("start", "chosen", "end"),
    [
        ("1.1/com.acme.ops/operators/SoftClip/", "1.0", "1.0/com.acme.ops/operators/SoftClip/"),
        (
            "1.0/com.acme.ops/operators/SoftClip/?q=x#history",
            "1.1",
            "1.1/com.acme.ops/operators/SoftClip/?q=x#history",
        ),
        ("1.1/com.acme.ops/operators/Standardize/", "1.0", "1.0/"),
        ("latest/", "1.0", "1.0/"),
    ],
)
def test_a_choice_of_another_version_leads_to_the_same_page(
    visit: tuple[Page, str], start: str, chosen: str, end: str
) -> None:
    page, address = visit
    page.goto(address + start)
    versions = page.get_by_role("combobox", name="Version")
    here = start.partition("/")[0]
    expect(versions).to_have_value("1.1" if here == "latest" else here)
    assert versions.locator("option").all_inner_texts() == ["1.1", "1.0"]
    versions.select_option(chosen)
    page.wait_for_url(address + end)
    expect(page.get_by_role("combobox", name="Version")).to_have_value(chosen)


@pytest.mark.browser
def test_the_list_of_versions_leaves_room_on_a_telephone(visit: tuple[Page, str]) -> None:
    page, address = visit
    page.goto(f"{address}1.1/")
    box = page.get_by_role("combobox", name="Version").bounding_box()
    assert box is not None
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert abs(box["y"] + box["height"] / 2 - 26) < 2  # In the middle of the top line.


@pytest.mark.browser
def test_each_version_searches_itself(visit: tuple[Page, str]) -> None:
    page, address = visit
    for version, count in (("1.0", 0), ("1.1", 1)):
        page.goto(f"{address}{version}/")
        page.keyboard.press("/")
        page.keyboard.type("Standardize")
        found = page.locator("dialog.search li a", has_text="Standardize")
        if count:
            found.first.click()
            page.wait_for_url(re.compile(re.escape(f"{address}{version}/{DOMAIN}/operators/Standardize/")))
        else:
            expect(page.locator("dialog.search")).to_contain_text("Nothing found")
            expect(found).to_have_count(0)


@pytest.mark.browser
def test_a_site_that_is_no_version_has_no_list(browser: Browser, site: BuiltSite) -> None:
    with serving(site.folder) as address:
        page = browser.new_page()
        page.goto(address)
        expect(page.get_by_role("button", name="Search")).to_be_visible()
        expect(page.get_by_role("combobox", name="Version")).to_have_count(0)
        page.close()


@pytest.mark.browser
def test_what_is_not_there_is_said_in_the_site_s_own_design(browser: Browser, project: Path) -> None:
    built = run_opsetdocs(
        "build", "--site-dir", "found", cwd=project, SITE_URL="https://acme.example/project/"
    )
    assert built.returncode == 0
    with serving(project / "found") as address:
        page = browser.new_page()
        answer = page.goto(f"{address}com.acme.ops/operators/Nothing/7/")
        assert answer is not None
        assert answer.status == 404
        assert page.evaluate("getComputedStyle(document.querySelector('.top')).display") == "flex"
        page.get_by_role("link", name=DOMAIN, exact=True).first.click()
        page.wait_for_url(address)
        page.close()


# What the documentation shows


def fenced(page: str, language: str) -> list[str]:
    text = (PAGES / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_the_job_for_gitlab_does_what_it_says(tmp_path: Path) -> None:
    (text,) = (text for text in fenced("publishing.md", "yaml") if ".gitlab-ci.yml" in text)
    job = yaml_load(text)["pages"]
    new_project(tmp_path / "x", DOMAIN)
    install, *commands = job["script"]
    assert install == "pip install -r requirements.txt"
    assert job["variables"] == {"SITE_URL": "$CI_PAGES_URL"}
    for command in commands:
        run(*command.split(), cwd=tmp_path / "x", SITE_URL=SITE_URL)
    (folder,) = job["artifacts"]["paths"]
    page = tmp_path / "x" / folder / DOMAIN / "index.html"
    assert f'href="{SITE_URL}{DOMAIN}/"' in page.read_text("utf-8")


def test_the_policy_in_the_documentation_is_the_one_that_is_tried() -> None:
    (server,) = fenced("publishing.md", "nginx")
    assert POLICY in server
    assert POLICY in (PAGES / "theme.md").read_text("utf-8")


def test_the_commands_for_mike_are_the_ones_that_are_tried() -> None:
    assert fenced("publishing.md", "console")[1].splitlines() == [
        "pip install mike",
        "mike deploy --push --update-aliases 1.0 latest",
        "mike set-default --push latest",
    ]


BEFORE = ("python3 -m venv", ". .venv/", "pip install")
"""What has been done where tests run."""

SERVERS = ("mkdocs serve", "python3 -m http.server")
"""What ends only when somebody ends it; tests/test_serve.py looks at the first."""


@needs_git
@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_the_tutorial_leads_to_a_published_site(tmp_path: Path) -> None:
    remote = tmp_path / "remote"
    run("git", "init", "--quiet", "--bare", "--initial-branch", "main", str(remote), cwd=tmp_path)
    text = (PAGES / "tutorial.md").read_text("utf-8")
    script = ["set -e"]
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if language == "console":
            script += [line for line in block.splitlines() if not line.startswith((*BEFORE, *SERVERS))]
        else:
            name = block.partition("\n")[0].removeprefix("# ")
            script += [f"cat > {name} <<'THE END'", block + "THE END"]
    (url,) = re.findall(r"git remote add origin (\S+)", text)
    redirected = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{remote.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": url,
    }
    said = run("bash", "-c", "\n".join(script), cwd=tmp_path, **redirected)
    assert "Threshold" in said
    assert "no findings in 1 file" in said
    assert "no findings in 2 files" in said
    site = published(remote, tmp_path / "published")
    assert (site / "com.acme.ops/operators/Threshold/1/index.html").is_file()
    files = run("git", "ls-tree", "-r", "--name-only", "main", cwd=remote).splitlines()
    assert ".github/workflows/pages.yml" in files
    assert "opsets/com.acme.ops-1.textproto" in files
    assert not [name for name in files if name.startswith("site/")]
