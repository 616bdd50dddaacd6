# SPDX-License-Identifier: Apache-2.0
"""Proposers: callables, and endpoints that answer well, badly, slowly, or with malice."""

import contextlib
import gzip
import json
import logging
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import einsummable as es
from einsummable import proposer
from einsummable.proposer import Endpoint, ProposerError

KEY = "sk-secret-0123456789"
# Over the shared bus in 63 ms, over two links in 40, in pieces in about 20.
PREAMBLE = "GPUS: 0, 1, 2, 3, 4, 5, 6, 7\nIN: A @ 0\nOUT: A @ 5\n"
DIRECT = PREAMBLE + "A @ 0 -> 5"
BETTER = (
    "Over the links instead:\n```exprog\nIN: A @ 5\nOUT:\nA @ 0 -> 1 -> 5\n```\nIt uses no bus."
)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Give a function that starts a server with a reply to every request, and gives its address."""
    pytest.importorskip("httpx")
    servers = []

    def start(answer: Callable[[BaseHTTPRequestHandler, dict], None]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                with contextlib.suppress(OSError):  # the other side may have gone
                    answer(self, json.loads(self.rfile.read(length)))

            def log_message(self, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def chat(text: object) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


def endpoint(url: str, **options: object) -> Endpoint:
    return Endpoint(url=url, model="m", key=KEY, **{"timeout": 5.0, "retries": 0, **options})


def improve(propose: proposer.Proposer, **options: object) -> proposer.Proposal:
    program = es.exchange.parse(DIRECT)
    return proposer.improve(program, "dgx-v100", propose, ideal=True, **options)


def test_a_better_program_wins_and_a_worse_one_does_not():
    result = improve(lambda prompt: BETTER, rounds=1, candidates=1)
    assert result.improved
    assert result.program.check()
    assert "A @ 0 -> 1\nA @ 1 -> 5" in str(result.program)
    assert str(result.program).startswith("exprog 1\n" + PREAMBLE)
    direct = improve(lambda prompt: "no idea")
    assert not direct.improved
    assert str(direct.program) == str(es.exchange.parse(DIRECT))
    assert result.ms < direct.ms


def test_the_prompt_holds_language_machine_problem_best_and_failures():
    prompts = []

    def propose(prompt: str) -> str:
        prompts.append(prompt)
        return "```\nA @ 9 -> 5\n```"

    improve(propose, rounds=2, candidates=1, bound_ms=7.0)
    first, second = prompts
    for part in ("into 3", "dgx-v100", "IN: A @ 0", "A @ 0 -> 5 from 0 to", "less than 7 ms"):
        assert part in first
    assert "site 9 is not one of GPUS" not in first
    assert "site 9 is not one of GPUS" in second


def test_without_a_body_it_begins_with_the_naive_one():
    start = es.exchange.parse(PREAMBLE)
    result = proposer.improve(start, "dgx-v100", lambda prompt: "", rounds=1, candidates=1)
    assert "A @ 0 -> 5" in str(result.program)


def test_asking_ends_near_the_bound():
    ms = improve(lambda prompt: "").ms
    assert improve(lambda prompt: "", bound_ms=ms).asked == 0


@pytest.mark.parametrize(
    ("propose", "message"),
    [
        (lambda prompt: 7, "a proposer gives a str, not int"),
        (lambda prompt: None, "a proposer gives a str, not NoneType"),
        (lambda prompt: [][0], "the proposer raised IndexError"),
    ],
)
def test_a_callable_that_fails_is_a_warning(propose, message):
    with pytest.warns(UserWarning, match=message):
        assert improve(propose).asked == 0


def test_text_that_is_no_unicode_is_a_reply():
    assert improve(lambda prompt: "\ud800 " + BETTER, rounds=1, candidates=1).improved


def test_ctrl_c_is_not_held_back():
    def propose(prompt: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        improve(propose)


def test_mistakes_are_errors():
    with pytest.raises(es.TopologyError):
        proposer.improve(es.exchange.parse(DIRECT), "no-such-machine", lambda prompt: "")
    with pytest.raises(es.ExchangeError, match="A is never at 5"):
        proposer.improve(es.exchange.parse(PREAMBLE + "A @ 0 -> 1"), "dgx-v100", lambda prompt: "")


def test_an_endpoint_is_asked_by_the_protocol(serve):
    seen = []

    def answer(handler, body):
        seen.append((handler.path, handler.headers["Authorization"], body))
        send(handler, chat(BETTER))

    result = improve(endpoint(serve(answer)), rounds=1, candidates=1)
    assert result.improved
    path, key, body = seen[0]
    assert path == "/v1/chat/completions"
    assert key == f"Bearer {KEY}"
    assert body["model"] == "m"
    assert "# The language" in body["messages"][0]["content"]


def test_the_environment_names_the_endpoint(serve, monkeypatch):
    for name in ("URL", "KEY", "MODEL"):
        monkeypatch.delenv(f"EINSUMMABLE_AI_{name}", raising=False)
    with pytest.raises(ProposerError, match="EINSUMMABLE_AI_URL is not set"):
        improve(None)
    url = serve(lambda handler, body: send(handler, chat(BETTER)))
    monkeypatch.setenv("EINSUMMABLE_AI_URL", url + "/chat/completions")
    with pytest.raises(ProposerError, match="EINSUMMABLE_AI_MODEL is not set"):
        improve(None)
    monkeypatch.setenv("EINSUMMABLE_AI_MODEL", "m")
    assert improve(None, rounds=1, candidates=1).improved


def test_wrong_replies_cost_nothing_but_their_time(serve):
    texts = ["", "I refuse.", "```\nA @ 0 -> 77\n```", "```\nA @ 5 -> 0\n```", "x" * 2_000_000]
    texts += ["```\n" + "A @ 0 -> 5; " * 50_000 + "\n```", "SPLIT: A into 60000\nA @ 0 -> 5 -> 1"]
    replies = iter(texts)
    url = serve(lambda handler, body: send(handler, chat(next(replies))))
    result = improve(endpoint(url), rounds=1, candidates=len(texts))
    assert result.asked == len(texts)
    assert not result.improved
    assert len(result.failures) == len(texts)


def stall(seconds: float) -> Callable:
    def answer(handler, body):
        time.sleep(seconds)

    return answer


def dribble(handler, body):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


def dribble_headers(handler, body):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(100):
        handler.wfile.write(b"X-%d: 1\r\n" % number)
        handler.wfile.flush()
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [stall(3), dribble, dribble_headers])
def test_a_slow_endpoint_costs_its_timeout_once(serve, answer):
    start = time.monotonic()
    with pytest.warns(UserWarning, match=r"gave no answer in 0\.4 s"):
        result = improve(endpoint(serve(answer), timeout=0.4))
    assert result.asked == 0
    assert time.monotonic() - start < 2.5


def test_a_dead_endpoint_is_a_warning():
    pytest.importorskip("httpx")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.warns(UserWarning, match=r"endpoint at 127\.0\.0\.1 cannot be asked: ConnectError"):
        assert not improve(endpoint(url)).improved


def test_a_busy_endpoint_is_asked_again(serve):
    statuses = iter([503, 429, 200])

    def answer(handler, body):
        send(handler, chat(BETTER), next(statuses))

    assert endpoint(serve(answer), retries=2)("prompt") == BETTER


def bomb(handler, body):
    send(handler, gzip.compress(b" " * 50_000_000), Content_Encoding="gzip")


def huge(handler, body):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b"x" * 1_000_000)


def elsewhere(handler, body):
    send(handler, b"", 307, Location="http://127.0.0.1:1/steal")


def echo_header(handler, body):
    send(handler, b"no", 500, X_Echo=handler.headers["Authorization"])


MALICE = {
    "no json": (lambda h, b: send(h, b"<html>"), "does not answer by the OpenAI chat protocol"),
    "deep json": (lambda h, b: send(h, b"[" * 1_000_000), "does not answer by"),
    "other json": (lambda h, b: send(h, b'{"choices": []}'), "does not answer by"),
    "a number": (lambda h, b: send(h, chat(7)), "does not answer by"),
    "null": (lambda h, b: send(h, chat(None)), "does not answer by"),
    "a list": (lambda h, b: send(h, b"[1]"), "does not answer by"),
    "no text": (lambda h, b: send(h, b"\xff\xfe"), "does not answer by"),
    "huge": (huge, "answers with more than 4000000 bytes"),
    "bomb": (bomb, "answers in an encoding that was not asked for"),
    "redirect": (elsewhere, "answers with status 307"),
    "denied": (lambda h, b: send(h, KEY.encode(), 401), "answers with status 401"),
    "echo": (echo_header, "answers with status 500"),
    "no http": (
        lambda h, b: h.wfile.write(b"\0\1\2" + KEY.encode() + b"\r\n\r\n"),
        "cannot be asked",
    ),
    "hang up": (lambda h, b: None, "cannot be asked"),
}


@pytest.mark.parametrize("name", MALICE)
def test_a_hostile_endpoint_is_a_warning_without_the_key(serve, name, caplog):
    answer, message = MALICE[name]
    caplog.set_level(logging.INFO)
    asked = endpoint(serve(answer))
    with pytest.raises(ProposerError, match=message) as caught:
        asked("prompt")
    assert KEY not in "".join(traceback.format_exception(caught.value))
    with pytest.warns(UserWarning, match=message) as warned:
        assert not improve(asked).improved
    assert KEY not in str(warned[0].message)
    assert KEY not in caplog.text
    assert KEY not in repr(asked)


def test_a_reply_that_repeats_the_key_is_read_without_it(serve):
    url = serve(lambda handler, body: send(handler, chat(f"```\n{KEY} @ 0\n```")))
    assert KEY not in endpoint(url)("prompt")
    result = improve(endpoint(url), rounds=1, candidates=1)
    assert KEY not in result.failures[0]


@pytest.mark.parametrize("key", ["sk-\n1", "schlüssel", "a b"])
def test_a_key_that_no_header_holds_is_refused_unseen(key):
    with pytest.raises(ProposerError, match="characters that no header holds") as caught:
        Endpoint(url="http://h", model="m", key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["", "h/v1", "ftp://h", "http://", "http://[", "file:///etc/passwd"]
)
def test_an_address_of_no_server_is_refused(url):
    with pytest.raises(ProposerError, match="must begin with http"):
        Endpoint(url=url, model="m")


def test_secrets_in_the_address_are_not_shown():
    pytest.importorskip("httpx")
    asked = Endpoint(url=f"http://user:{KEY}@127.0.0.1:1/?k={KEY}", model="m", retries=0)
    with pytest.raises(ProposerError) as caught:
        asked("prompt")
    assert KEY not in str(caught.value)
    assert KEY not in repr(asked)


def test_httpx_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    with pytest.raises(ProposerError, match=r"pip install 'einsummable\[ai\]'"):
        endpoint("http://h")("prompt")
