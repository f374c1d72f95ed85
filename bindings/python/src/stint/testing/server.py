"""The process `stint serve --clock virtual --control`, from its start to its end.

It ends when its standard input closes. So it also ends when this process is killed.
"""

import base64
import contextlib
import json
import secrets
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import yaml

from stint.errors import StintError
from stint.testing.command import child_environment

_START_LIMIT_S = 30.0
_STOP_LIMIT_S = 10.0
# How long a process that has said something else than where it serves may take to end.
_END_LIMIT_S = 2.0
_ANSWER_LIMIT_S = 300.0
"""Virtual time that has much to do takes some real time."""


class StartError(StintError):
    """`stint serve` has not started. The message has what it said."""


class Server:
    """A running server, and how to talk to it."""

    def __init__(self, command: Sequence[str], options: Sequence[str] = ()) -> None:
        # The server makes it, for this user alone, and removes it: also when this process is killed.
        self.kubeconfig = Path(tempfile.gettempdir(), f"stint-testing-{secrets.token_hex(8)}.yaml")
        # It has no name, so it disappears with this process.
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = self._start(command, options)
        except BaseException:
            self._errors.close()
            raise
        cluster = yaml.safe_load(self.kubeconfig.read_text(encoding="utf-8"))
        [user], [target] = cluster["users"], cluster["clusters"]
        self.url: str = target["cluster"]["server"]
        self._token: str = user["user"]["token"]
        authority = base64.b64decode(target["cluster"]["certificate-authority-data"]).decode("ascii")
        self._tls = ssl.create_default_context(cadata=authority)

    def _start(self, command: Sequence[str], options: Sequence[str]) -> subprocess.Popen[bytes]:
        words = [*command, "serve", "--clock", "virtual", "--control", "--until-stdin-closes", "--output", "json"]
        words += ["--kubeconfig", str(self.kubeconfig), *options]
        try:
            process = subprocess.Popen(
                words, env=child_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
            )
        except OSError as error:
            raise StartError(f"{command[0]} cannot be started: {error}") from None
        assert process.stdout is not None
        late = threading.Event()

        def end_late() -> None:
            late.set()
            process.kill()

        limit = threading.Timer(_START_LIMIT_S, end_late)
        limit.start()
        line = process.stdout.readline()
        limit.cancel()
        with contextlib.suppress(ValueError):
            if json.loads(line)["type"] == "serving":
                return process
        outcome = self._failure(process, late.is_set())
        said = (line.decode(errors="replace") + self.errors()).strip()
        raise StartError(f"{' '.join(words)} {outcome}; it said: {said}")

    def _failure(self, process: subprocess.Popen[bytes], is_late: bool) -> str:
        """What became of a process that does not serve; one that still runs is ended."""
        outcome = f"has not begun to serve within {_START_LIMIT_S:g} s"
        try:
            process.wait(_END_LIMIT_S)
            if not is_late:
                outcome = f"ended with status {process.returncode} before it served"
        except subprocess.TimeoutExpired:
            process.kill()
            outcome = "does not say where it serves"
        process.communicate()
        self.kubeconfig.unlink(missing_ok=True)
        return outcome

    def errors(self) -> str:
        """What the server has written to its standard error."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def request(
        self, method: str, path: str, body: object = None, content_type: str = "application/json"
    ) -> tuple[int, bytes]:
        """Status and body of an answer."""
        connection = HTTPSConnection(urlsplit(self.url).netloc, context=self._tls, timeout=_ANSWER_LIMIT_S)
        with contextlib.closing(connection):
            headers = {"authorization": f"Bearer {self._token}", "content-type": content_type}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def stop(self) -> None:
        """Ends the server, which removes its kubeconfig. It may be called again."""
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            self.kubeconfig.unlink(missing_ok=True)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()
