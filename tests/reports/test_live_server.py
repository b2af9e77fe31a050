"""The live view: on this machine only, with a token, and new episodes reach an open page."""

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from cwm_agent import solve
from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.worker_state import TaskWatch, WorkerState
from cwm_agent.reports.live_server import LiveRun, LiveServer
from cwm_agent.reports.watched_run import WorkerView, cells


@pytest.fixture
def served() -> Iterator[tuple[LiveRun, LiveServer]]:
    run = LiveRun("mine", {"oracle": "exact", "budget": {"executions": 5}}, [Episode("one", True, None)])
    with LiveServer(run) as server:
        yield run, server


def answer(server: LiveServer, path: str, host: str | None = None) -> tuple[int, str]:
    where = urlsplit(server.address)
    connection = HTTPConnection(where.hostname or "", where.port, timeout=30)
    connection.request("GET", path, headers={"Host": host or where.netloc})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def test_the_address_is_of_this_machine_alone(served: tuple[LiveRun, LiveServer]) -> None:
    assert served[1].address.startswith("http://127.0.0.1:")
    assert served[1]._server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("path", ["/", "/events", "/page/0", "/?token=", "/?token=wrong", "/?token=%00"])
def test_nothing_is_served_without_the_token(served: tuple[LiveRun, LiveServer], path: str) -> None:
    status, text = answer(served[1], path)
    assert status == 403
    assert "one" not in text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example:1", ""])
def test_a_request_by_another_name_is_refused(served: tuple[LiveRun, LiveServer], host: str) -> None:
    assert answer(served[1], f"/?token={served[1].token}", host or "x")[0] == 403


def test_page_and_tasks_are_served_with_the_token(served: tuple[LiveRun, LiveServer]) -> None:
    token = served[1].token
    status, text = answer(served[1], f"/?token={token}")
    assert status == 200
    assert "connect-src &#x27;self&#x27;" in text
    assert answer(served[1], f"/page/0?token={token}")[0] == 200
    for wrong in ("/page/1", "/page/x", "/page/-1", "/page/99999999999", "/../etc/passwd", "/page/%31"):
        assert answer(served[1], f"{wrong}?token={token}")[0] == 404


def test_episodes_and_workers_reach_an_open_page(served: tuple[LiveRun, LiveServer]) -> None:
    run = served[0]
    events = run.events()
    assert next(events)[0] == "index"  # type: ignore[index]
    assert next(events) == ("workers", [])
    run.show(WorkerState(7, "two", imagined=3, odds=1.5, runs=1, left=9.0, node="here"))
    assert next(events) == (
        "workers",
        [{"worker": 7, "task": "two", "imagined": 3, "odds": 1.5, "runs": 1, "left": 9.0, "node": "here"}],
    )
    run.add(Episode("two", False, None))
    _, index = next(events)  # type: ignore[misc]
    assert [row["id"] for row in index["run"]["tasks"]] == ["one", "two"]  # type: ignore[index]
    assert next(events) == ("workers", [])
    run.end()
    assert next(events) == ("over", {})
    assert list(events) == []


def test_the_stream_of_events_ends_with_the_run(served: tuple[LiveRun, LiveServer]) -> None:
    served[0].end()
    status, text = answer(served[1], f"/events?token={served[1].token}")
    assert status == 200
    assert [line for line in text.splitlines() if line.startswith("event:")] == [
        "event: index",
        "event: workers",
        "event: over",
    ]
    assert json.loads(text.split("data: ")[1].splitlines()[0])["title"] == "mine"


def test_a_watch_tells_at_most_a_few_states_a_second() -> None:
    told: list[WorkerState] = []
    watch = TaskWatch("t", told.append)
    assert watch.due()
    watch.show(4, None, 1, 8.0)
    assert not watch.due()
    assert told[0].task == "t"


def test_workers_are_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    state = WorkerState(1, "\x1b[31mtask", imagined=12, odds=None, runs=2, left=-3.0)
    assert cells(state) == ("\\x1b[31mtask", "12", "-", "2", "0 s")
    view = WorkerView()
    view.show(state)
    assert view.table().row_count == 1
    view.tell(["[1/2] a"], 1, 2)
    assert "left" in capsys.readouterr().out


def test_a_watched_solve_prints_its_address_and_leaves_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text('def one():\n    """\n    >>> one()\n    1\n    """\n    return 2\n')
    solve.main(
        ["mine.py", "--oracle", "none", "--policy", "none", "--budget-executions", "2", "--watch", "--jobs", "2"]
    )
    printed = capsys.readouterr().out
    assert "watch it at http://127.0.0.1:" in printed
    assert (tmp_path / "runs" / "mine-0" / "report.html").exists()
