"""A run that goes on, served on this machine: the pages of its report, which grow with every episode.

The server is of the standard library and listens on the loopback interface at a free port. Every request must carry
the token of the run and name this machine as its host, so that neither another user's guess nor a page on the web can
read anything. It only answers; nothing that it is sent changes the run.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cwm_agent.agent.episodes.episode import Episode
from cwm_agent.agent.worker_state import WorkerState
from cwm_agent.reports.html_file import html, packed_page
from cwm_agent.reports.run_folder import RunFolder
from cwm_agent.reports.run_page import curve, flat, task_row
from cwm_agent.reports.task_page import TaskPage
from cwm_agent.reports.theatre import ReportRuns

PATIENCE_S = 5.0
"""Seconds without news after which a waiting page is sent a line, so that a closed one is noticed."""


@dataclass(slots=True)
class LiveRun:
    """The state of a run that its pages show; every change wakes the pages that wait."""

    name: str
    settings: dict[str, Any]
    episodes: list[Episode] = field(default_factory=list)
    workers: dict[tuple[str, int], WorkerState] = field(default_factory=dict)
    over: bool = False
    version: int = 0
    """Counts changes of the episodes."""
    news: Condition = field(default_factory=Condition)
    _tracing: Lock = field(default_factory=Lock)

    def add(self, episode: Episode) -> None:
        """A task has ended."""
        with self.news:
            self.episodes.append(episode)
            self.version += 1
            self.workers = {number: each for number, each in self.workers.items() if each.task != episode.task}
            self.news.notify_all()

    def show(self, state: WorkerState) -> None:
        """A worker tells what it does."""
        with self.news:
            self.workers[state.node, state.worker] = state
            self.news.notify_all()

    def end(self) -> None:
        """The run is over: the pages are told, and wait no longer."""
        with self.news:
            self.over = True
            self.news.notify_all()

    def index(self) -> dict[str, Any]:
        """The index of the report as it stands."""
        with self.news:
            run = RunFolder(self.name, list(self.episodes), self.settings)
        tasks = [task_row(each, {}) for each in run.episodes]
        shown = {"name": run.name, "settings": flat(run.settings), "problems": [], "budget": run.budget}
        return {"title": run.name, "live": True, "run": {**shown, "tasks": tasks, "curves": [curve(run)], "traced": 0}}

    def page(self, number: int) -> str | None:
        """The packed page of a task that has ended; its real runs are traced now. None where there is no such task."""
        with self.news:
            if not 0 <= number < len(self.episodes):
                return None
            episode = self.episodes[number]
        runs = ReportRuns()
        with self._tracing:  # one at a time: the solve has the machine
            try:
                return packed_page(TaskPage(episode, runs).rows())
            finally:
                runs.close()

    def events(self) -> Iterator[tuple[str, object] | None]:
        """News for one page, without end while the run goes on; None where there was none for a while."""
        seen, shown = -1, None
        while True:
            with self.news:
                workers = [asdict(each) for each in self.workers.values()]
                if seen == self.version and shown == workers and not self.over:
                    if not self.news.wait(PATIENCE_S):
                        yield None
                    continue
                version, over = self.version, self.over
            if seen != version:
                seen = version
                yield "index", self.index()
            if shown != workers:
                shown = workers
                yield "workers", workers
            if over:
                yield "over", {}
                return


class LiveServer:
    """Serves one run until it is closed; a context manager."""

    def __init__(self, run: LiveRun) -> None:
        self.run, self.token = run, secrets.token_urlsafe(24)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(run, self.token))
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/?token={self.token}"

    def __enter__(self) -> LiveServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.run.end()
        self._server.shutdown()
        self._server.server_close()


def _handler(run: LiveRun, token: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 60
        server_version, sys_version = "cwm-agent", ""

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            given = parse_qs(asked.query).get("token", [""])[0]
            if not self._is_own_host() or not secrets.compare_digest(given.encode(), token.encode()):
                self._answer(403, "text/plain", "This address needs the token that `solve --watch` printed.\n")
            elif asked.path == "/":
                self._answer(200, "text/html", html(run.index(), [], live=True))
            elif asked.path == "/events":
                self._stream()
            else:
                self._page(asked.path)

        def _is_own_host(self) -> bool:
            """Whether the request names this machine: a page on the web that reaches it by another name does not."""
            return self.headers.get("Host", "").rpartition(":")[0] in ("127.0.0.1", "localhost")

        def _page(self, path: str) -> None:
            number = path.removeprefix("/page/")
            found = run.page(int(number)) if number.isascii() and number.isdecimal() and len(number) < 9 else None
            if found is None:
                self._answer(404, "text/plain", "There is no such page.\n")
            else:
                self._answer(200, "text/plain", found)

        def _stream(self) -> None:
            self._head(200, "text/event-stream")
            try:
                for event in run.events():
                    line = ":\n\n" if event is None else f"event: {event[0]}\ndata: {json.dumps(event[1])}\n\n"
                    self.wfile.write(line.encode())
                    self.wfile.flush()
            except OSError:  # the page was closed
                return

        def _answer(self, status: int, kind: str, text: str) -> None:
            data = text.encode("utf-8", "backslashreplace")
            self._head(status, f"{kind}; charset=utf-8", len(data))
            self.wfile.write(data)

        def _head(self, status: int, kind: str, length: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Cache-Control", "no-store")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("X-Frame-Options", "DENY")
            if length is not None:
                self.send_header("Content-Length", str(length))
            self.send_header("Connection", "close")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
            return

    return Handler


def live_run(out: Path, settings: dict[str, Any], episodes: list[Episode]) -> LiveRun:
    """A run that begins, with the episodes that its folder holds already."""
    return LiveRun(out.resolve().name, settings, list(episodes))
