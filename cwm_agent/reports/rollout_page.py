"""Collected episodes of an environment as data for the page: a table of returns and their curve."""

from pathlib import Path
from typing import Any

from cwm_agent.records.jsonl_file import numbered_rows
from cwm_agent.reports.html_file import ReportData
from cwm_agent.rollouts.rollout_rows import upgraded

MOST_ROWS = 2_000
LONGEST_TEXT = 300


def is_rollouts(path: Path) -> bool:
    """Whether the first row of a file is a collected episode, and no episode of `solve`."""
    first = next((row for _, row in numbered_rows(path)), None)
    return isinstance(first, dict) and "rewards" in first


def rollout_report(path: Path) -> ReportData:
    """The report of a file that `rollout` wrote; rows that are no episodes are named."""
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    left = 0
    settings: dict[str, Any] = {}
    for number, row in numbered_rows(path):
        try:
            if isinstance(row, str):
                raise ValueError(row)
            if len(rows) >= MOST_ROWS:
                left += 1
                continue
            rows.append(_row(upgraded(row)))
            settings = settings or row["run"]
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"line {number} is no episode ({error})"[:LONGEST_TEXT])
    if left:
        problems.append(f"{left} further episodes are not shown: a report has at most {MOST_ROWS}")
    head = [[str(name)[:80], str(value)[:LONGEST_TEXT]] for name, value in settings.items()]
    return ReportData({"title": path.name, "rollouts": {"rows": rows, "settings": head}, "problems": problems})


def _row(row: dict[str, Any]) -> dict[str, Any]:
    end = "goal" if row["terminated"] else "stopped" if row.get("stop_reason") else "cut off"
    return {
        "episode": int(row["episode"]),
        "task": str(row["task"])[:LONGEST_TEXT],
        "return": round(float(sum(row["rewards"])), 4),
        "steps": len(row["actions"]),
        "end": end,
        "reason": str(row.get("stop_reason") or "")[:LONGEST_TEXT],
    }
