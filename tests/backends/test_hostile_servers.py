"""Whatever a server sends, at whatever pace, becomes a Reply or a BackendFailed in our own words; the key stays secret."""

import gzip
import json
import logging
import traceback
import zlib

import pytest
from hostile_server import Hostile, Script, attacked, endless, sends, whole_response

from cwm_agent.oracles.backends.openai.api_key import api_key, message_without_key
from cwm_agent.oracles.backends.openai.http_completions import Server, refuse
from cwm_agent.oracles.backends.openai.server_answer import LARGEST_ANSWER, Reply
from cwm_agent.oracles.protocol import BackendFailed

SECRET = "sk-very-secret-0123456789"  # noqa: S105
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
BOMB = b"[" * 1_000_000


def asked(url: str, timeout: float = 20.0) -> Reply:
    return Server(url, timeout, 0, sleep=lambda seconds: None).post("/completions", {"prompt": "p"})


def outcome(url: str, timeout: float = 20.0) -> str:
    """The problem of the reply, or the message of the failure."""
    try:
        return asked(url, timeout).problem
    except BackendFailed as failed:
        return str(failed)


SLOW: dict[str, tuple[Script, str]] = {
    "a status line byte by byte": (endless(b"", b"H"), "no answer within 0.2 s"),
    "headers byte by byte": (endless(OK, b"x"), "no answer within 0.2 s"),
    "header after header": (endless(OK, b"a: b\r\n"), "no answer within 0.2 s"),
    "interim responses": (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "no answer within 0.2 s"),
    "a body byte by byte": (endless(OK + b"\r\n", b" "), "an answer that did not end in time"),
    "chunk after chunk": (endless(CHUNKED, b"1\r\n \r\n"), "an answer that did not end in time"),
    "a chunk size without end": (endless(CHUNKED, b"0"), "an answer that did not end in time"),
    "an error byte by byte": (endless(b"HTTP/1.1 503 Busy\r\n\r\n", b" "), "status 503"),
}


@pytest.mark.parametrize("name", SLOW)
def test_one_deadline_ends_an_answer_that_drips(name: str) -> None:
    """On a busy machine the deadline may pass before the head has arrived, which is told as such."""
    script, message = SLOW[name]
    with attacked(Hostile(script, drips=True)) as url:
        told = outcome(url, timeout=0.2)
    assert message in told or "no answer within 0.2 s" in told


def test_a_server_that_says_nothing_is_given_up() -> None:
    hostile = Hostile(lambda request: iter(lambda: hostile.over.wait(20.0) and b"", b""))
    with attacked(hostile) as url:
        assert "no answer within 0.05 s" in outcome(url, timeout=0.05)


FAST: dict[str, tuple[Script, str]] = {
    "a header without end": (endless(OK + b"a: ", b"x" * 60_000), "no HTTP"),
    "headers without end": (endless(OK, b"a: b\r\n" * 10_000), "no HTTP"),
    "folded headers without end": (endless(OK + b"a: b\r\n", b" c\r\n" * 10_000), "no HTTP"),
    "interim responses without end": (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000), "bytes before an answer"),
    "hints without end": (endless(b"", b"HTTP/1.1 103 Hints\r\na: b\r\n\r\n" * 2_000), "bytes before an answer"),
    "a body without end": (endless(OK + b"\r\n", b" " * 60_000), f"more than {LARGEST_ANSWER} bytes"),
    "chunks without end": (endless(CHUNKED, b"ea60\r\n" + b" " * 60_000 + b"\r\n"), f"more than {LARGEST_ANSWER}"),
    "tiny chunks without end": (endless(CHUNKED, b"1\r\n \r\n" * 10_000), "in more than 10000 pieces"),
    "chunk extensions without end": (endless(CHUNKED, b"1;" + b"x" * 60_000), "no HTTP"),
    "trailers without end": (endless(CHUNKED + b"0\r\n", b"a: b\r\n" * 10_000), "no HTTP"),
    "a huge length": (endless(OK + b"Content-Length: 999999999999\r\n\r\n", b" " * 60_000), f"more than {LARGEST_ANSWER}"),
    "a length too long for a number": (sends(OK + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n{}"), "no HTTP"),
    "a negative length": (sends(OK + b"Content-Length: -1\r\n\r\n{}"), "no HTTP"),
    "two lengths": (sends(OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"), "no HTTP"),
    "a length above the body": (sends(OK + b"Content-Length: 100\r\n\r\n{}"), "no HTTP, or that broke off"),
    "a length below the body": (sends(OK + b"Content-Length: 3\r\n\r\n{}      "), ""),
    "chunks that break off": (sends(CHUNKED + b"5\r\n{}"), "broke off"),
    "a chunk size that is no number": (sends(CHUNKED + b"zz\r\n{}\r\n"), "no HTTP"),
    "a connection closed at once": (sends(), "no HTTP, or that broke off"),
    "half a status line": (sends(b"HTTP/1."), "no HTTP, or that broke off"),
    "no HTTP": (sends(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), "no HTTP"),
    "HTTP of old": (sends(b"{}"), "no HTTP"),
    "zero bytes": (sends(b"\0" * 1_000), "no HTTP"),
    "a header with a zero byte": (sends(OK + b"a: \0\r\n\r\n{}"), "no HTTP"),
    "a gzip bomb": (sends(whole_response(gzip.compress(BOMB), headers=b"Content-Encoding: gzip\r\n")), "compressed"),
    "a deflate bomb": (sends(whole_response(zlib.compress(BOMB), headers=b"content-encoding: deflate\r\n")), "compressed"),
    "a brotli bomb": (sends(whole_response(b"\x1b", headers=b"CONTENT-ENCODING: br\r\n")), "compressed"),
    "two codings": (sends(whole_response(b"{}", headers=b"Content-Encoding: identity\r\nContent-Encoding: gzip\r\n")), "compressed"),
    "compressed without a word": (sends(whole_response(gzip.compress(b"{}"))), "no JSON"),
    "an unknown transfer": (sends(OK + b"Transfer-Encoding: gzip\r\n\r\n{}"), "no HTTP"),
    "another protocol": (sends(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n{}"), "no HTTP"),
    "events": (sends(whole_response(b'data: {"choices": []}\n\n', headers=b"Content-Type: text/event-stream\r\n")), "no JSON"),
    "a page": (sends(whole_response(b"<html>\x1b[31m\x07</html>", headers=b"Content-Type: text/html\r\n")), "no JSON"),
    "no UTF-8": (sends(whole_response(b'{"a": "\xff"}')), "no JSON"),
    "UTF-16": (sends(whole_response('{"a": 1}'.encode("utf-16"))), "no JSON"),
    "a number of 5,000 digits": (sends(whole_response(b'{"a": %b}' % (b"9" * 5_000))), "no JSON"),
    "100,000 lists": (sends(whole_response(b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")), "no JSON"),
    "100 objects": (sends(whole_response(b'{"a":' * 100 + b"1" + b"}" * 100)), "nested more than"),
    "a list": (sends(whole_response(b"[1]")), "a JSON list and no object"),
    "NaN": (sends(whole_response(b"NaN")), "a JSON float and no object"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAST)
def test_no_answer_is_longer_than_its_limit_and_none_raises(name: str) -> None:
    script, message = FAST[name]
    with attacked(Hostile(script)) as url:
        assert message in outcome(url)


def test_a_server_that_never_reads_the_request_is_given_up() -> None:
    """The body is larger than what the kernel keeps for a reader that does not read."""
    hostile = Hostile(sends())
    hostile.answer = lambda connection: hostile.over.wait(20.0) and connection.close()  # type: ignore[method-assign,assignment,func-returns-value]
    with attacked(hostile) as url, pytest.raises(BackendFailed, match=r"no answer within 0.2 s"):
        Server(url, 0.2, 0).post("/completions", {"prompt": "p" * 30_000_000})


def test_every_status_is_a_reply_or_one_sentence() -> None:
    statuses = [*range(200, 600), 999]
    hostile = Hostile(lambda request: iter([whole_response(b"{}", f"{statuses[len(hostile.requests) - 1]} X")]))
    passing = (408, 409, 429, 500, 502, 503, 504)
    with attacked(hostile) as url:
        for status in statuses:
            if status in passing:
                assert f"status {status}" in outcome(url)
            else:
                reply = asked(url)
                assert reply.status == status
                assert bool(reply.problem) == (status in (204, 304)), "these have no body"


@pytest.mark.parametrize("status", [0, 99, 102, 199])
def test_a_status_that_ends_nothing_is_no_answer(status: int) -> None:
    with attacked(Hostile(sends(whole_response(b"{}", f"{status:03} X")))) as url:
        assert "no HTTP" in outcome(url)


@pytest.mark.parametrize("status", [300, 301, 302, 303, 305, 307, 308])
@pytest.mark.parametrize("place", ["file:///etc/passwd", "//elsewhere/v1", "/v1/completions", "OTHER"])
def test_a_redirect_is_told_and_never_followed(status: int, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    other = Hostile(sends(whole_response(b"{}")))
    with attacked(other) as elsewhere:
        head = f"Location: {place.replace('OTHER', elsewhere)}\r\n".encode()
        hostile = Hostile(sends(whole_response(b'{"choices": []}', f"{status} Moved", head)))
        with attacked(hostile) as url, pytest.raises(BackendFailed, match="which is not followed"):
            refuse(asked(url), Server(url), "m")
    assert len(hostile.requests) == 1
    assert not other.requests


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"])
def test_a_proxy_of_the_environment_sees_nothing(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    proxy, server = Hostile(sends()), Hostile(sends(whole_response(b"{}")))
    with attacked(proxy) as between, attacked(server) as url:
        monkeypatch.setenv(variable, between.removesuffix("/v1"))
        assert asked(url) == Reply()
    assert len(server.requests) == 1
    assert not proxy.requests


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1/v1",
        "http://h:port/v1",
        "http://h:99999/v1",
        "http://a..b/v1",
        "http://h\0/v1",
        "http://h/\x1b[31m",
        "http://h/v 1",
        "http:///v1",
        "http://h/v1?key=x",
        "file:///etc/passwd",
        "//h/v1",
        "http://" + "a" * 64 + ".org/v1",
    ],
)
def test_what_is_no_address_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(BackendFailed, match="is no address of a server"):
        Server(url)


def test_a_host_is_named_in_ascii_and_without_its_path() -> None:
    hostile = Hostile(sends(whole_response(b"{}")))
    with attacked(hostile) as url:
        assert asked(url) == Reply()
        assert Server(url, 20.0, 0).post("//tokenize", {}) == Reply()
    first, second = (request.split(b"\r\n")[:2] for request in hostile.requests)
    assert first == [b"POST /v1/completions HTTP/1.1", b"Host: " + url[7:-3].encode()]
    assert second[0] == b"POST /tokenize HTTP/1.1"


@pytest.mark.parametrize("key", ["sk-a\n", "\nsk-a", "sk a", "sk-a\r\nX-Evil: 1", "sk-ä", "sk-\x7f", " ", "sk-\udcff"])
def test_a_malformed_key_is_told_without_the_key_and_not_sent(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    hostile = Hostile(sends(whole_response(b"{}")))
    with attacked(hostile) as url, pytest.raises(BackendFailed, match="Set it to the key alone") as raised:
        asked(url)
    assert not hostile.requests
    shown = "".join(traceback.format_exception(raised.value))
    assert key.strip() == "" or not any(part in shown for part in (key, key.strip(), repr(key), ascii(key)[1:-1]))


def test_an_empty_key_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert api_key() is None


ESCAPED = "".join(f"\\u{ord(character):04x}" for character in SECRET)
ECHOES: dict[str, bytes] = {
    "an error": whole_response(json.dumps({"error": {"message": f"bad key {SECRET}"}}).encode(), "401 No"),
    "an error that is cut inside the key": whole_response(
        json.dumps({"error": {"message": "x" * 190 + SECRET}}).encode(), "401 No"
    ),
    "an error in escapes": whole_response(f'{{"error": "{ESCAPED}"}}'.encode(), "418 No"),
    "an error that is a list": whole_response(json.dumps({"detail": [{"key": SECRET}]}).encode(), "422 No"),
    "an error that may pass": whole_response(json.dumps({"message": SECRET}).encode(), "503 No"),
    "a reason": whole_response(b"{}", f"403 {SECRET}"),
    "a header": whole_response(b"{}", "403 No", f"X-Key: {SECRET}\r\n".encode()),
    "a redirect": whole_response(b"{}", "302 No", f"Location: http://h/{SECRET}\r\n".encode()),
    "no HTTP": f"{SECRET}\r\n\r\n".encode(),
    "a bad header": f"HTTP/1.1 200 OK\r\n{SECRET}\r\n\r\n".encode(),
    "a bad chunk": CHUNKED + f"{SECRET}\r\n".encode(),
    "no JSON": whole_response(f"{{{SECRET}".encode()),
    "an answer": whole_response(json.dumps({"choices": [{"text": f"a {SECRET} b"}]}).encode()),
    "a name of a field": whole_response(json.dumps({SECRET: {SECRET: [SECRET, f"{SECRET}{SECRET}"]}}).encode()),
}


@pytest.mark.parametrize("name", ECHOES)
def test_a_key_that_the_server_repeats_stays_secret(
    name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    caplog.set_level(logging.DEBUG)
    shown = ""
    hostile = Hostile(sends(ECHOES[name]))
    with attacked(hostile) as url:
        try:
            reply = asked(url)
            shown += repr(reply)
            refuse(reply, Server(url), "m")
        except BackendFailed as failed:
            shown += "".join(traceback.format_exception(failed))
    assert SECRET.encode() in hostile.requests[0]
    assert name not in ("a header", "a reason", "a redirect") or "[key]" in caplog.text, "the client logs headers"
    assert SECRET[:12] not in shown + caplog.text
    assert SECRET not in ascii(shown)


def test_a_placeholder_for_a_key_is_hidden_in_messages_and_left_in_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    assert message_without_key("the key EMPTY is wrong, EMPTYING") == "the key [key] is wrong, EMPTYING"
    with attacked(Hostile(sends(whole_response(b'{"text": "EMPTY"}')))) as url:
        assert asked(url).body == {"text": "EMPTY"}


def test_texts_of_a_reply_can_be_encoded() -> None:
    with attacked(Hostile(sends(whole_response(b'{"\\ud800": ["a\\udfffb"]}')))) as url:
        assert asked(url).body == {"?": ["a?b"]}


def test_what_breaks_once_is_tried_again() -> None:
    troubles = [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", b"garbage\r\n\r\n", whole_response(b'{"a": 1}')]
    hostile = Hostile(lambda request: iter([troubles[len(hostile.requests) - 1]]))
    pauses: list[float] = []
    with attacked(hostile) as url:
        assert Server(url, 20.0, 5, sleep=pauses.append).post("/x", {}).body == {"a": 1}
    assert pauses == [0.5, 1.0, 2.0]
