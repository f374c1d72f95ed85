"""The admission webhook: both applications answer alike, refuse what is no review, and keep to their limits. What a
review says is in the vectors.
"""

import asyncio
import base64
import http.client
import io
import json
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from admission_files import load_admission_vectors
from built_engine import engine_module
from fake_api import job, review_of
from stint import MAX_REVIEW_BYTES, Engine, EngineTrapError
from stint.admission import Check, Denied, Reviewer, asgi, wsgi

VECTORS = load_admission_vectors()
REVIEWS = {vector.name: vector.review.encode() for vector in VECTORS if "configuration" not in vector.case}


@dataclass(frozen=True)
class Got:
    """What a client got."""

    status: int
    headers: dict[str, str]
    body: Any


Call = Callable[..., Got]


def asgi_caller(check: Check | None = None, **settings: Any) -> Call:
    application = asgi(check, module=engine_module(), **settings)

    def call(method: str, path: str, body: bytes = b"", *, parts: int = 1, **headers: str) -> Got:
        size = max(1, -(-len(body) // parts))
        pieces = [body[at : at + size] for at in range(0, len(body), size)] or [b""]
        messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
        messages[-1]["more_body"] = False
        sent: list[Any] = []

        async def receive() -> Any:
            return messages.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        named = [(name.encode(), value.encode()) for name, value in given(body, headers).items()]
        asyncio.run(application({"type": "http", "method": method, "path": path, "headers": named}, receive, send))
        start, content = sent
        return got(start["status"], {n.decode(): v.decode() for n, v in start["headers"]}, content["body"])

    return call


def wsgi_caller(check: Check | None = None, **settings: Any) -> Call:
    application = wsgi(check, module=engine_module(), **settings)

    def call(method: str, path: str, body: bytes = b"", *, parts: int = 1, **headers: str) -> Got:
        started: list[Any] = []
        named = given(body, headers)
        environment = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "CONTENT_TYPE": named["content-type"],
            "CONTENT_LENGTH": named["content-length"],
            "wsgi.input": io.BytesIO(body),
        }
        [content] = application(environment, lambda *arguments: started.extend(arguments))  # type: ignore[arg-type]
        status, answered = started
        return got(int(status.split(" ")[0]), dict(answered), content)

    return call


def given(body: bytes, headers: dict[str, str]) -> dict[str, str]:
    usual = {"content-type": "application/json", "content-length": str(len(body))}
    return {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}


def got(status: int, headers: dict[str, str], content: bytes) -> Got:
    assert headers["content-length"] == str(len(content))
    is_json = headers["content-type"] == "application/json"
    return Got(status, headers, json.loads(content) if is_json else content)


def answered(answer: Got) -> Any:
    assert answer.status == 200
    return answer.body


both = pytest.mark.parametrize("make", [asgi_caller, wsgi_caller])


@both
class TestReviews:
    def test_all_vectors_are_answered_as_the_engine_does(self, make: Callable[..., Call]) -> None:
        call = make()
        patches = 0
        with Engine(engine_module()) as engine:
            for name, review in REVIEWS.items():
                expected = json.loads(engine.review(review))
                response = expected["response"]
                patch = {name: response.pop(name) for name in ("patch", "patchType") if name in response}
                assert answered(call("POST", "/validate", review)) == expected, name
                expected["response"] = {"uid": response["uid"], "allowed": True}
                if response["allowed"]:
                    expected["response"] |= patch
                    patches += len(patch)
                assert answered(call("POST", "/hooks/mutate", review, parts=3)) == expected, name
        assert patches > 100

    def test_a_patch_fills_in_what_is_left_out(self, make: Callable[..., Call]) -> None:
        response = make()("POST", "/mutate", review_of()).body["response"]
        patch = json.loads(base64.b64decode(response["patch"]))
        assert {"op": "add", "path": "/spec/completionMode", "value": "NonIndexed"} in patch

    @pytest.mark.parametrize(("kubernetes", "is_allowed"), [("1.36", True), ("1.37", False)])
    def test_the_engines_have_the_configuration(
        self, make: Callable[..., Call], kubernetes: str, is_allowed: bool
    ) -> None:
        template = job("a")["spec"]["template"]
        template["spec"]["volumes"] = [{"name": "v", "image": {}}]
        answer = make(configuration={"kubernetes": kubernetes})("POST", "/validate", review_of({"template": template}))
        assert answered(answer)["response"]["allowed"] is is_allowed

    def test_a_refusal_names_the_field(self, make: Callable[..., Call], caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO, logger="stint.admission")
        template = {**job("a")["spec"]["template"], "metadata": {"labels": {"k/e/y": "x"}}}
        spec = {"parallelism": -1, "template": template}
        response = make()("POST", "/validate", review_of(spec)).body["response"]
        assert response["allowed"] is False
        assert "spec.parallelism" in [cause["field"] for cause in response["status"]["details"]["causes"]]
        # Paths alone, and no key of a map.
        [said] = caplog.messages
        assert said.startswith("r1 is denied: ")
        assert "spec.parallelism" in said
        assert "k/e/y" not in said


@both
class TestRefusals:
    @pytest.mark.parametrize(
        ("method", "path", "headers", "status", "message"),
        [
            ("POST", "/other", {}, 404, "there are POST …/validate, POST …/mutate and GET …/healthz"),
            ("GET", "/validate", {}, 405, "the method is GET; allowed is POST"),
            ("POST", "/validate", {"content_type": "text/plain"}, 415, "the Content-Type is not application/json"),
            ("POST", "/validate", {"content_length": ""}, 411, "the request has no Content-Length, which is needed"),
            ("POST", "/validate", {"content_length": "9" * 400}, 413, "the request is longer than 8388608 bytes"),
            ("POST", "/validate", {"content_length": "8388609"}, 413, "the request is longer than 8388608 bytes"),
            ("POST", "/validate", {"content_length": "3"}, 400, "the request ended before its Content-Length"),
            ("POST", "/validate", {}, 400, "only an AdmissionReview"),
        ],
    )
    def test_say_what_is_allowed(
        self, make: Callable[..., Call], method: str, path: str, headers: dict[str, str], status: int, message: str
    ) -> None:
        answer = make()(method, path, b"[]", **headers)
        assert (answer.status, answer.body["code"], answer.body["kind"]) == (status, status, "Status")
        assert message in answer.body["message"]

    def test_of_what_is_too_long_can_be_sooner(self, make: Callable[..., Call]) -> None:
        body = review_of()
        assert make(max_body_bytes=len(body))("POST", "/validate", body).status == 200
        assert make(max_body_bytes=len(body) - 1)("POST", "/validate", body).status == 413
        with pytest.raises(ValueError, match=f"allowed are 1 to {MAX_REVIEW_BYTES}"):
            make(max_body_bytes=MAX_REVIEW_BYTES + 1)

    def test_of_too_much_at_once(self, make: Callable[..., Call], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("stint.admission.MAX_BODY_BYTES_AT_ONCE", len(review_of()))
        call = make()
        for _ in range(2):
            # The room of a request is there again after it.
            assert call("POST", "/validate", review_of()).status == 200
        full = call("POST", "/validate", review_of() + b" ")
        assert (full.status, full.headers["retry-after"], full.body["reason"]) == (503, "1", "ServiceUnavailable")

    def test_health(self, make: Callable[..., Call]) -> None:
        answer = make()("GET", "/healthz")
        assert (answer.status, answer.body) == (200, b"ok\n")


@both
class TestChecks:
    def test_deny_and_warn_beside_the_engine(self, make: Callable[..., Call]) -> None:
        def check(request: dict[str, Any], engine: Engine) -> Iterator[str]:
            assert engine.metrics()["jobs"] == 0
            yield f"a warning about {request['object']['metadata']['name']}"
            if "activeDeadlineSeconds" not in request["object"]["spec"]:
                raise Denied("spec.activeDeadlineSeconds is missing")

        call = make(check)
        fine = call("POST", "/validate", review_of({"activeDeadlineSeconds": 60})).body["response"]
        assert (fine["allowed"], fine["warnings"]) == (True, ["a warning about a"])
        denied = call("POST", "/validate", review_of()).body["response"]
        assert (denied["allowed"], denied["warnings"]) == (False, ["a warning about a"])
        assert denied["status"]["message"] == "spec.activeDeadlineSeconds is missing"
        assert denied["status"]["code"] == 403
        # The mutating phase calls no check.
        assert call("POST", "/mutate", review_of()).body["response"]["allowed"] is True

    def test_are_not_asked_about_what_the_engine_refuses(self, make: Callable[..., Call]) -> None:
        asked = []
        call = make(lambda request, _engine: asked.append(request))
        assert call("POST", "/validate", review_of({"parallelism": -1})).body["response"]["allowed"] is False
        assert asked == []

    def test_that_fail_are_an_error_of_the_webhook_and_quote_nothing(
        self, make: Callable[..., Call], caplog: pytest.LogCaptureFixture
    ) -> None:
        def check(request: dict[str, Any], _engine: Engine) -> list[str]:
            raise KeyError("a-secret of the object")

        answer = make(check)("POST", "/validate", review_of())
        assert (answer.status, "a-secret" in json.dumps(answer.body)) == (500, False)
        assert answer.body["message"] == "the request could not be reviewed: a check has failed"
        assert "a check has failed" in caplog.text


class TestPool:
    def test_a_trap_fails_one_request_and_the_engine_is_replaced(self, caplog: pytest.LogCaptureFixture) -> None:
        def check(_request: dict[str, Any], engine: Engine) -> list[str]:
            if traps:
                traps.pop()
                # More than an engine takes.
                engine.review(bytes(64 * 1024 * 1024 + 1))
            return []

        traps = [1]
        reviewer = Reviewer(check, engines=1, module=engine_module())
        assert reviewer.review("validate", review_of()).status == 500
        assert "the engine has failed on a request, and is replaced" in caplog.text
        assert reviewer.review("validate", review_of()).status == 200

    def test_as_many_reviews_run_at_once_as_there_are_engines(self) -> None:
        together = threading.Barrier(3, timeout=30)

        def check(_request: dict[str, Any], _engine: Engine) -> list[str]:
            together.wait()
            return []

        reviewer = Reviewer(check, engines=3, module=engine_module())
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(lambda _: reviewer.review("validate", review_of()), range(6)))
        assert [answer.status for answer in answers] == [200] * 6

    def test_one_that_finds_no_engine_is_told_to_come_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("stint.admission._WAIT_S", 0.01)
        inside: list[int] = []

        def check(_request: dict[str, Any], _engine: Engine) -> list[str]:
            if not inside:
                inside.append(1)
                inside.append(reviewer.review("validate", review_of()).status)
            return []

        reviewer = Reviewer(check, engines=1, module=engine_module())
        assert reviewer.review("validate", review_of()).status == 200
        assert inside == [1, 503]

    def test_engines_are_closed_and_made_again(self) -> None:
        seen: list[Engine] = []
        reviewer = Reviewer(lambda _request, engine: seen.append(engine), engines=2, module=engine_module())
        reviewer.review("validate", review_of())
        reviewer.close()
        reviewer.review("validate", review_of())
        assert seen[0] is not seen[1]
        assert seen[0].memory_bytes == 0


class TestLifespan:
    def test_compiles_at_the_start_and_says_when_it_cannot(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def said(kinds: list[str]) -> list[str]:
            messages = [{"type": f"lifespan.{kind}"} for kind in kinds]
            sent: list[Any] = []

            async def receive() -> Any:
                return messages.pop(0)

            async def send(message: Any) -> None:
                sent.append(message["type"].removeprefix("lifespan."))

            asyncio.run(asgi(module=engine_module())({"type": "lifespan"}, receive, send))
            return sent

        assert said(["startup", "shutdown"]) == ["startup.complete", "shutdown.complete"]
        monkeypatch.setattr(Engine, "_instantiate", lambda _engine: refuse())
        assert said(["startup"]) == ["startup.failed"]


def test_a_server_of_asyncio_runs_it(tmp_path: Path) -> None:
    """uvicorn, over a socket."""
    (tmp_path / "served.py").write_text(
        "from built_engine import engine_module\nfrom stint.admission import asgi\n"
        "application = asgi(module=engine_module())\n",
        encoding="utf-8",
    )
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        options = ["--fd", str(taken.fileno()), "--lifespan", "on"]
        command = [sys.executable, "-m", "uvicorn", *options, "served:application"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        with subprocess.Popen(
            command, env=environment, pass_fds=[taken.fileno()], stderr=subprocess.PIPE, text=True
        ) as server:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                headers = {"content-type": "application/json"}
                allowed = []
                for body in (review_of(), review_of({"parallelism": -1})):
                    connection.request("POST", "/validate", body, headers)
                    allowed.append(json.load(connection.getresponse())["response"]["allowed"])
                connection.request("POST", "/validate", bytes(MAX_REVIEW_BYTES + 1), headers)
                too_long = connection.getresponse().status
            finally:
                server.terminate()
                _, log = server.communicate(timeout=60)
    assert (allowed, too_long) == ([True, False], 413)
    assert "Application shutdown complete." in log


def refuse() -> None:
    raise EngineTrapError(-1, "no")
