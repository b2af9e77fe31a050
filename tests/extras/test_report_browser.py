"""The report of a real run in a real browser: keyboard, printing, accessibility, hostile texts, no error at all."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright
from report_runs import INJECTIONS, hostile_episode, solved_run, write_rows

from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.permutation.permutation_domain import PermutationKind
from cwm_agent.agent.runner import run_tasks
from cwm_agent.agent.settings import Settings
from cwm_agent.agent.worker_state import WorkerState
from cwm_agent.report import make_report
from cwm_agent.reports.live_server import LiveRun, LiveServer
from tasks.task import PermutationTask

SHOTS = os.environ.get("REPORT_SCREENSHOTS")
"""A folder for screenshots; CI keeps them."""
SEVERE = ("serious", "critical")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "There is no chromium on PATH. Install one: apt install chromium"
    with sync_playwright() as tool:
        opened = tool.chromium.launch(executable_path=path, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_report(solved_run(tmp_path_factory.mktemp("browser") / "run"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [hostile_episode(text) for text in INJECTIONS]
    folder = write_rows(tmp_path_factory.mktemp("hostile") / "run", *rows, Episode("old", True, None), '{"task": "cut')
    return make_report(folder, runs_programs=False)


class Tab:
    """A page that remembers every error and every request beyond its own file."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        self.page: Page = browser.new_page(**options)
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page.on(
            "console", lambda each: self.errors.append(each.text) if each.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda each: self.errors.append(str(each)))
        self.page.on("request", lambda each: self.asked.append(each.url))

    def open(self, report: Path, route: str = "") -> Page:
        self.page.goto(f"{report.as_uri()}{route}")
        self.page.wait_for_selector("main h1")
        return self.page

    def shot(self, name: str) -> None:
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=True)

    def check(self) -> None:
        """No error, no request, no script of others."""
        assert self.errors == []
        assert all(url.startswith(("file:", "data:", "blob:")) for url in self.asked)
        assert self.page.evaluate("window.broken === undefined")
        self.page.close()


def scene_with_divergence(page: Page) -> str:
    """The route of the first imagined run that parts from the real one."""
    for number in range(page.evaluate("cwm.store.tasks().length")):
        found = page.evaluate(
            "number => cwm.store.page(number).then(data => data.theatre.scenes.findIndex(scene => scene.divergence))",
            number,
        )
        if found >= 0:
            return f"#/task/{number}/theatre/{found}"
    raise AssertionError("no run parts")


def test_a_run_is_sorted_filtered_and_searched(browser: Browser, report: Path) -> None:
    tab = Tab(browser)
    page = tab.open(report)
    rows = page.locator("table.rows tbody tr")
    expect(rows).to_have_count(2)
    page.locator("button.sort").first.click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_count(1)
    first = rows.nth(0).inner_text()
    page.locator("button.sort").first.click()
    assert rows.nth(1).inner_text() == first
    page.get_by_label("Search Tasks").fill("largest")
    expect(rows).to_have_count(1)
    expect(page.get_by_role("status")).to_have_text("1 of 2 shown")
    page.get_by_label("Search Tasks").fill("nothing like it")
    expect(page.get_by_text("Nothing matches.")).to_be_visible()
    page.get_by_label("Search Tasks").fill("")
    page.get_by_label("Status").select_option(index=1)
    assert rows.count() >= 1
    tab.check()


def test_a_task_shows_patch_tests_and_candidates(browser: Browser, report: Path) -> None:
    tab = Tab(browser)
    page = tab.open(report)
    page.get_by_role("link", name="double-all").first.click()
    expect(page.get_by_role("heading", name="double-all")).to_be_visible()
    expect(page.locator("table.diff")).to_be_visible()
    expect(page.locator("table.tests tbody tr")).to_have_count(3)
    assert page.locator("table.candidates tbody tr").count() >= 1
    assert page.locator(".heat-cell").count() > 2
    tab.shot("task")
    tab.check()


def test_the_theatre_is_stepped_to_the_divergence_by_keyboard(browser: Browser, report: Path) -> None:
    tab = Tab(browser)
    page = tab.open(report)
    page.goto(f"{report.as_uri()}{scene_with_divergence(page)}")
    where = page.locator(".where")
    expect(where).to_contain_text("Step 0 of")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(where).to_contain_text("Step 1 of")
    page.keyboard.press("Home")
    page.keyboard.press("d")
    expect(where).to_contain_text("first divergence")
    step = page.evaluate("cwm.store.index.verification[0].observations.length")
    assert step
    expect(page.locator(".verdict.wrong")).to_contain_text("First divergence at step")
    assert page.locator(".pane .wrong").count() >= 1
    tab.shot("theatre_divergence")
    page.keyboard.press("End")
    page.get_by_label("Step", exact=True).focus()
    page.keyboard.press("Home")
    expect(where).to_contain_text("Step 0 of")
    tab.check()


def test_a_plan_of_a_permutation_has_its_theatre(browser: Browser, tmp_path: Path) -> None:
    task = PermutationTask("four", (2, 0, 1, 3), (0, 1, 2, 3), "swaps", 2)
    run_tasks(PermutationKind(), [task], Settings("beam", "exact", ceiling=True), tmp_path / "run")
    tab = Tab(browser)
    page = tab.open(make_report(tmp_path / "run"), "#/task/0/theatre/0")
    expect(page.locator(".scene-choice select")).to_contain_text("plan 1")
    page.keyboard.press("End")
    expect(page.locator(".pane.imagined tr", has_text="a").first).to_be_visible()
    expect(page.locator(".verdict.right")).to_contain_text("Equal as far as both go")
    tab.shot("theatre_plan")
    tab.check()


def test_objects_are_boxes_and_references_are_arrows(browser: Browser, report: Path) -> None:
    tab = Tab(browser)
    page = tab.open(report, "#/task/0/theatre/0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".pane.imagined .object").first).to_be_visible()
    assert page.locator(".pane.imagined .arrows > path").count() >= 1
    expect(page.locator(".pane.imagined tr.changed").first).to_be_visible()
    tab.check()


def test_the_tree_is_opened_and_grows_by_keyboard(browser: Browser, report: Path) -> None:
    tab = Tab(browser)
    page = tab.open(report, "#/task/0/tree")
    root = page.locator("[role=treeitem]").first
    before = page.locator("[role=treeitem]").count()
    assert before > 3
    root.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[role=treeitem]")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".node-detail h3")).to_have_text("Candidate")
    expect(page.locator(".node-detail pre mark")).to_be_visible()
    page.get_by_label("Growth of the tree").focus()
    page.keyboard.press("Home")
    expect(page.locator("[role=treeitem]")).to_have_count(1)
    tab.shot("tree")
    tab.check()


def test_points_of_curves_name_the_programs_behind_them(browser: Browser, report: Path) -> None:
    tab = Tab(browser)
    page = tab.open(report, "#/verification")
    page.locator("circle.point").first.hover()
    expect(page.locator(".behind strong").first).to_contain_text("% right after")
    assert page.locator(".behind a").count() >= 1
    page.locator(".bar-row").first.focus()
    expect(page.locator(".behind strong").nth(1)).to_be_visible()
    tab.shot("verification")
    tab.check()


def test_a_report_in_several_files_opens_its_tasks(browser: Browser, report: Path, tmp_path: Path) -> None:
    from cwm_agent.reports.html_file import write_report
    from cwm_agent.reports.run_folder import read_run
    from cwm_agent.reports.run_page import run_report

    data = run_report(read_run(report.parent), runs_programs=False)
    target = write_report(tmp_path / "index.html", data, most_bytes=10_000)[-1]
    tab = Tab(browser)
    page = tab.open(target)
    page.get_by_role("link", name="largest").first.click()
    expect(page.get_by_role("heading", name="largest")).to_be_visible()
    page.get_by_role("link", name="Run", exact=True).click()
    expect(page.get_by_role("heading", name="run", exact=True)).to_be_visible()
    tab.check()


@pytest.mark.parametrize("number", range(len(INJECTIONS)))
def test_hostile_texts_are_shown_as_text_on_every_page(browser: Browser, hostile: Path, number: int) -> None:
    tab = Tab(browser)
    page = tab.open(hostile)
    for route in ("", "/theatre/0", "/tree"):
        page.goto(f"{hostile.as_uri()}#/task/{number}{route}")
        page.wait_for_function("route => document.getElementById('main').dataset.ready.endsWith(route)", arg=route)
        expect(page.locator("main h1")).to_be_visible()
        page.keyboard.press("ArrowRight")
        shown = page.locator("main").inner_text()
        assert not any(character in shown for character in "\x1b\x07\u202e\u2066\u200b")
    assert page.locator("main script, main img, main iframe").count() == 0
    tab.check()


def test_what_cannot_be_read_is_named(browser: Browser, hostile: Path) -> None:
    tab = Tab(browser)
    page = tab.open(hostile)
    expect(page.locator(".callout.warning")).to_contain_text("incomplete")
    page.goto(f"{hostile.as_uri()}#/task/{len(INJECTIONS)}")
    expect(page.locator(".callout.note")).to_contain_text("older version")
    page.goto(f"{hostile.as_uri()}#/task/999")
    expect(page.get_by_text("no task of that number")).to_be_visible()
    tab.check()


def test_an_open_page_of_a_run_grows_with_its_episodes(browser: Browser) -> None:
    run = LiveRun("mine", {"oracle": "exact"}, [])
    with LiveServer(run) as server:
        tab = Tab(browser)
        tab.page.goto(server.address)
        expect(tab.page.get_by_role("heading", name="Live")).to_be_visible()
        run.show(WorkerState(1, "<b>first</b>", imagined=5, odds=2.25, runs=1, left=30.0))
        expect(tab.page.locator("#live tbody tr")).to_contain_text("<b>first</b>")
        run.add(hostile_episode(INJECTIONS[0]))
        expect(tab.page.locator(".table-block tbody tr")).to_have_count(1)
        tab.page.locator(".table-block tbody a").click()
        expect(tab.page.locator("table.tests")).to_be_visible()
        run.end()
        tab.page.get_by_role("link", name="Run", exact=True).click()
        expect(tab.page.locator("#live")).to_contain_text("The run is over")
    assert tab.errors == []
    assert {url.partition("?")[0].partition("/page")[0] for url in tab.asked} <= {
        server.address.partition("?")[0].rstrip("/") + path for path in ("", "/", "/events")
    } | {"data:"}
    tab.page.close()


ROUTES = {
    "run": "",
    "task": "#/task/0",
    "theatre": "#/task/0/theatre/0",
    "tree": "#/task/0/tree",
    "verification": "#/verification",
}


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("name", ROUTES)
def test_pages_are_accessible(browser: Browser, report: Path, name: str, colours: str) -> None:
    """No serious finding of axe-core, in both colours."""
    tab = Tab(browser, color_scheme=colours)
    page = tab.open(report, ROUTES[name])
    found = Axe().run(page).response["violations"]
    severe = [
        (each["id"], [node["target"] for node in each["nodes"]][:3]) for each in found if each["impact"] in SEVERE
    ]
    tab.shot(f"{name}_{colours}")
    assert severe == []
    tab.check()


@pytest.mark.parametrize("name", ROUTES)
def test_pages_fit_a_narrow_screen_and_paper(browser: Browser, report: Path, name: str) -> None:
    tab = Tab(browser, viewport={"width": 400, "height": 800})
    page = tab.open(report, ROUTES[name])
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    tab.shot(f"{name}_400")
    page.emulate_media(media="print")
    expect(page.locator("main h1")).to_be_visible()
    expect(page.locator("#nav")).to_be_hidden()
    assert len(page.pdf()) > 2_000
    tab.shot(f"{name}_print")
    tab.check()
