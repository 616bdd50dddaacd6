# SPDX-License-Identifier: Apache-2.0
"""A language model's endpoint, or any callable from text to text, as a proposer of programs."""

from __future__ import annotations

import json
import os
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from einsummable.errors import Error, PlanError, shown

if TYPE_CHECKING:
    import httpx

Proposer = Callable[[str], str]
"""Gives a text with a program in it for a prompt."""


class ProposerError(Error):
    """A proposer that gives no reply; says why, and never holds the key."""


@dataclass(frozen=True)
class Endpoint:
    """A language model behind the OpenAI chat protocol.

    Parameters
    ----------
    url : str
        The base of its address, ``https://host/v1``, or all of it up to ``/chat/completions``.
    model : str
        The name of the model.
    key : str, optional
        Sent as ``Authorization: Bearer``; shown nowhere.
    timeout : float
        Seconds for one reply, retries and waiting in between included.
    retries : int
        How often a refused connection or a busy server is asked once more.
    limit : int
        Bytes of an answer at most.
    """

    url: str = field(repr=False)
    model: str
    key: str = field(default="", repr=False)
    timeout: float = 120.0
    retries: int = 2
    limit: int = 4_000_000

    def __post_init__(self) -> None:
        """Check what does not depend on the other side."""
        try:
            parts = urlsplit(self.url)
            legal = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            legal = False
        if not legal:
            raise ProposerError("the address of the endpoint must begin with http:// or https://")
        if not all("!" <= c <= "~" for c in self.key):
            raise ProposerError("the key of the endpoint has characters that no header holds")

    @classmethod
    def from_environment(cls) -> Endpoint:
        """Take ``EINSUMMABLE_AI_URL``, ``_KEY`` and ``_MODEL``.

        Raises
        ------
        ProposerError
            If the address or the model is not set.
        """
        values = {name: os.environ.get(f"EINSUMMABLE_AI_{name}", "") for name in ("URL", "MODEL")}
        for name, value in values.items():
            if not value:
                raise ProposerError(f"EINSUMMABLE_AI_{name} is not set")
        key = os.environ.get("EINSUMMABLE_AI_KEY", "")
        return cls(url=values["URL"], model=values["MODEL"], key=key)

    def __call__(self, prompt: str) -> str:
        """Ask for one reply.

        Raises
        ------
        ProposerError
            If there is none in time, or it is too long or not of the protocol.
        """
        answer = self._within_timeout(prompt)
        if isinstance(answer, ProposerError):
            raise answer
        # A server may send back what it was sent.
        return answer.replace(self.key, "[key]") if self.key else answer

    def _within_timeout(self, prompt: str) -> str | ProposerError:
        """Ask in a thread that is left behind when time is up, however the other side stalls."""
        httpx = _httpx()
        deadline = time.monotonic() + self.timeout
        answers: list[str | ProposerError] = []
        client = httpx.Client(timeout=self.timeout, follow_redirects=False)

        def work() -> None:
            try:
                answers.append(self._with_retries(client, prompt, deadline))
            except ProposerError as error:
                answers.append(error)
            except Exception as error:
                answers.append(ProposerError(f"{self._where()}: {type(error).__name__}"))

        thread = threading.Thread(target=work, name="einsummable-proposer", daemon=True)
        thread.start()
        thread.join(self.timeout)
        late = f"{self._where()} gave no answer in {self.timeout:g} s"
        done = not thread.is_alive() and bool(answers)
        # Closing ends what the thread waits for.
        client.close()
        return answers[0] if done else ProposerError(late)

    def _with_retries(self, client: httpx.Client, prompt: str, deadline: float) -> str:
        for attempt in range(self.retries + 1):
            try:
                return self._ask_once(client, prompt, deadline)
            except _BusyError as busy:
                reason = str(busy)
            wait = 0.5 * 2**attempt
            if attempt == self.retries or time.monotonic() + wait >= deadline:
                break
            time.sleep(wait)
        raise ProposerError(f"{self._where()} {reason}")

    def _ask_once(self, client: httpx.Client, prompt: str, deadline: float) -> str:
        httpx = _httpx()
        headers = {"Accept-Encoding": "identity"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        body = {"model": self.model, "messages": [{"role": "user", "content": prompt}]}
        url = self.url.rstrip("/")
        if not url.endswith("/chat/completions"):
            url += "/chat/completions"
        try:
            with client.stream("POST", url, json=body, headers=headers) as response:
                if response.status_code in (408, 429) or response.status_code >= 500:
                    raise _BusyError(f"answers with status {response.status_code}")
                if response.status_code != 200:
                    raise self._error(f"answers with status {response.status_code}")
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    raise self._error("answers in an encoding that was not asked for")
                return self._content(self._read(response, deadline))
        except httpx.TimeoutException:
            raise self._error(f"gave no answer in {self.timeout:g} s") from None
        except httpx.TransportError as error:
            raise _BusyError(f"cannot be asked: {type(error).__name__}") from None

    def _read(self, response: httpx.Response, deadline: float) -> bytes:
        read = bytearray()
        for chunk in response.iter_raw():
            read += chunk
            if len(read) > self.limit:
                raise self._error(f"answers with more than {self.limit} bytes")
            if time.monotonic() > deadline:
                raise self._error(f"gave no answer in {self.timeout:g} s")
        return bytes(read)

    def _content(self, read: bytes) -> str:
        try:
            answer: Any = json.loads(read)
            content = answer["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            content = None
        if not isinstance(content, str):
            raise self._error("does not answer by the OpenAI chat protocol")
        return content

    def _error(self, what: str) -> ProposerError:
        return ProposerError(f"{self._where()} {what}")

    def _where(self) -> str:
        """Name the endpoint without what an address may hold of secrets."""
        return f"the endpoint at {urlsplit(self.url).hostname}"


class _BusyError(Exception):
    """A failure after which it is worth asking again."""


def asker(propose: Proposer | None) -> Proposer:
    """Give what asks a proposer, or the endpoint that the environment names."""
    if propose is not None and not callable(propose):
        raise PlanError(f"a proposer is called with a prompt; {shown(propose)} cannot be")
    asked = Endpoint.from_environment() if propose is None else propose
    return lambda prompt: _reply(asked, prompt)


def warn_of(failure: str, stacklevel: int) -> None:
    """Warn of a proposer that was not asked to the end, if it was not."""
    if failure:
        warnings.warn(f"proposals ended early: {failure}", stacklevel=stacklevel)


def _reply(propose: Proposer, prompt: str) -> str:
    """Ask, and give text that can be read whatever came back."""
    try:
        reply: object = propose(prompt)
    except ProposerError:
        raise
    except Exception as error:
        raise ProposerError(f"the proposer raised {type(error).__name__}: {error}") from error
    if not isinstance(reply, str):
        raise ProposerError(f"a proposer gives a str, not {type(reply).__name__}")
    return reply.encode("utf-8", "replace").decode()


def _httpx() -> Any:
    try:
        import httpx
    except ImportError:
        raise ProposerError("an endpoint needs httpx: pip install 'einsummable[ai]'") from None
    return httpx
