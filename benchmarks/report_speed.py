"""How large a report is and how fast it is in a browser: opening, sorting, opening a task, scrubbing 2,000 steps.

    python -m benchmarks.report_speed                       reports of 1 to 336 made-up tasks, in chromium
    python -m benchmarks.report_speed --run runs/repair-0   and of a run of your own

Needs the extra `browser` and a chromium on PATH. The made-up tasks have the sizes of real ones: 400 nodes, 10 imagined
runs of 60 steps; one more has a run of 2,000 steps that parts from the real one. Prints a table in Markdown.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from cwm_agent.reports.html_file import ReportData, write_report
from cwm_agent.reports.markdown_tables import markdown
from tasks.output.terminal_text import print_line, print_text

TASKS = (1, 21, 84, 336)
STEPS = 2_000
HEAD = "tasks,files,size (kB),open (ms),sort (ms),theatre (ms),steps,step median (ms),99 % (ms),worst (ms)".split(",")
_SORT = """() => {
  const began = performance.now();
  document.querySelectorAll('button.sort')[2].click();
  document.body.offsetHeight;
  return performance.now() - began;
}"""
_SCRUB = """async () => {
  const slider = document.querySelector('.scrubber input'), most = Number(slider.max), times = [];
  for (let at = 0; at <= most; at += 1) {
    const began = performance.now();
    slider.value = at;
    slider.dispatchEvent(new Event('input'));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - began);
  }
  times.sort((one, other) => one - other);
  return [most, times[times.length >> 1], times[Math.floor(times.length * 0.99)], times.at(-1)];
}"""


def frames(steps: int, rng: Random) -> Iterator[dict[str, Any]]:
    """The frames of a loop that fills a list, as deltas."""
    yield {
        "event": "call",
        "stack": {"0": {"function": "work", "line": 1, "locals": {"values": "#1"}}},
        "heap": {"1": str([rng.randrange(99) for _ in range(12)]), "2": "[]"},
        "globals": {},
    }
    for step in range(1, steps):
        local = {"value": str(rng.randrange(99)), "total": str(step * 7), "found": "#2"}
        delta: dict[str, Any] = {"event": "line", "stack": {"0": {"line": 2 + step % 9, "locals": local}}}
        yield delta | ({"heap": {"2": str([rng.randrange(9) for _ in range(step % 24)])}} if step % 3 == 0 else {})


def scene(steps: int, rng: Random, parts_at: int | None = None) -> dict[str, Any]:
    """An imagined run beside the real one, equal or parting at a step."""
    rows = list(frames(steps, rng))
    found: dict[str, Any] = {"test": 0, "patch": [], "run": None, "program": 0, "complete": parts_at is None}
    marks = "w" + "".join(rng.choice("mmr") for _ in rows[1:])
    logprobs = [round(-rng.random() / 9, 4) for mark in marks if mark == "m"]
    outcome = ["returned", "7"]
    told = {"end": "outcome", "outcome": outcome, "reason": ""}
    found["imagined"] = {"frames": rows, "marks": marks, "logprobs": logprobs, **told}
    found["real"] = {"outcome": outcome, "output": "", "shared": parts_at or steps, "frames": []}
    if parts_at is not None:
        found["real"]["frames"] = list(frames(steps, Random(7)))[parts_at:]
        found["divergence"] = {"step": parts_at, "kind": "state", "detail": "int"}
    return found


def page(number: int, rng: Random, *, longest: bool) -> dict[str, Any]:
    """A made-up task."""
    lines = ["def work(values):", *(f"    total = total + values[{at}]  # line {at}" for at in range(10))]
    scenes = [scene(60, rng, 30 if at % 3 == 0 else None) for at in range(10)]
    if longest:
        scenes.insert(0, scene(STEPS, rng, STEPS // 2))
    signs = [rng.choice(["<=", ">", "=="]) for _ in range(399)]
    actions = [f"comparison {at % 11 + 1}:{at % 30}: '<' -> '{sign} {at}'" for at, sign in enumerate(signs)]
    notes = ["ffupf-"[: rng.randrange(1, 6)] for _ in actions]
    nodes = [
        [0, action, round(rng.random(), 5), 1, 0.002, "failure", "", note, None]
        for action, note in zip(actions, notes, strict=True)
    ]
    program = {"lines": lines, "origin": list(range(1, len(lines) + 1)), "level": "operations", "temporaries": []}
    source = "\n".join(lines) + "\n"
    sides = [[at, text, at, text, "same"] for at, text in enumerate(lines, 1)]
    result = {"before": [False, "3"], "after": [True, "4"], "trusted": True}
    return {
        "id": f"task-{number}",
        "status": "solved",
        "patch": ["comparison 3:7: '<' -> '<='"],
        "program": {"entry": "work", "source": source, "sides": sides},
        "tests": [{"text": f"work([{at}])", "expected": str(at), **result} for at in range(6)],
        "heat": [[at, at / 11] for at in range(1, 11)],
        "theatre": {"programs": [program], "scenes": scenes},
        "tree": {"nodes": [[-1, "", 0.5, 400, 1.0, None, "", "", None], *nodes], "left_out": 700, "searches": 1},
    }


def made_up(tasks: int) -> ReportData:
    """A report of so many made-up tasks."""
    rng = Random(0)
    pages = [page(number, rng, longest=number == 0) for number in range(tasks)]
    rows = [
        {"id": each["id"], "status": "solved", "executions": 1 + at % 30, "confidence": 0.9, "believed": 0.9,
         "seconds": at / 3, "imagined": at * 7, "runs": 2, "patch": each["patch"][0], "divergences": 4}
        for at, each in enumerate(pages)
    ]  # fmt: skip
    solved = sorted([row["executions"], row["id"]] for row in rows)
    curve = {"name": "run", "tasks": tasks, "solved": solved, "budget": 50}
    run = {"name": "run", "settings": [], "problems": [], "budget": 50, "tasks": rows, "curves": [curve], "traced": 0}
    return ReportData({"title": "run", "run": run}, pages)


def opened(browser: Any, path: Path) -> float:
    """Milliseconds until the table of a report is drawn, in a new page."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    began = time.perf_counter()
    tab.goto(path.as_uri())
    tab.wait_for_selector("main h1")
    found = 1e3 * (time.perf_counter() - began)
    tab.close()
    return found


def measured(browser: Any, path: Path) -> dict[str, Any]:
    """Milliseconds to open a report (the best of five), to sort its table, to open the theatre, and for each step."""
    found: dict[str, Any] = {"open": min(opened(browser, path) for _ in range(5))}
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(path.as_uri())
    tab.wait_for_selector("main h1")
    found["sort"] = tab.evaluate(_SORT)
    apart = tab.evaluate("Boolean(cwm.store.index.apart)")
    began = time.perf_counter()
    first = path.parent / f"{path.stem}_tasks" / "00000.html" if apart else path
    tab.goto(first.as_uri() + "#/task/0/theatre/0")
    tab.wait_for_selector(".theatre")
    found["theatre"] = 1e3 * (time.perf_counter() - began)
    found["steps"], found["median"], found["late"], found["worst"] = tab.evaluate(_SCRUB)
    tab.close()
    return found


def rows_of(run: Path | None, chromium: str) -> Iterator[dict[str, Any]]:
    """A row for each number of made-up tasks, and one for a run."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool, tempfile.TemporaryDirectory() as folder:
        browser = tool.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for tasks in TASKS:
            files = write_report(Path(folder) / f"{tasks}.html", made_up(tasks))
            head = {"tasks": tasks, "files": len(files), "bytes": files[-1].stat().st_size}
            yield head | measured(browser, files[-1])
        if run is not None:
            path = (run / "report.html" if run.is_dir() else run).resolve()
            yield {"tasks": run.name, "files": 1, "bytes": path.stat().st_size} | measured(browser, path)
        browser.close()


def cells(row: dict[str, Any]) -> list[Any]:
    """A row of the table."""
    first = [row["tasks"], row["files"], round(row["bytes"] / 1e3)]
    times = [round(row[name]) for name in ("open", "sort", "theatre")]
    return [*first, *times, row["steps"], *(round(row[name], 1) for name in ("median", "late", "worst"))]


def main(arguments: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--run", type=Path, help="a report.html, or a folder that holds one, to be measured too")
    options.add_argument("--json", type=Path, help="write the rows to a file")
    chosen = options.parse_args(arguments)
    chromium = shutil.which("chromium")
    if chromium is None or find_spec("playwright") is None:
        print_line("Measuring needs a browser: pip install 'cwm-agent[browser]' and apt install chromium", error=True)
        return 2
    rows = list(rows_of(chosen.run, chromium))
    print_text(markdown(HEAD, [cells(row) for row in rows]))
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
