"""Credentials from the command that `exec` in a kubeconfig names: a token, a client certificate, or both.

Invariant: a command runs only for the user that a kubeconfig names for its context. One that hangs is ended, with what
it has started. What it prints is secret and gets into no error; of what it says on standard error the first line does,
without anything that looks like a token. It has no terminal, so that an interactive command fails instead of waiting.
Source: client-go plugin/pkg/client/auth/exec/exec.go.
"""

import asyncio
import json
import os
import re
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from stint.errors import StintError

_VERSIONS: Final = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
_MAX_OUTPUT_BYTES: Final = 1024 * 1024
_REAP_S: Final = 5.0
"""How long the end of a process that was killed is waited for. What it has started may hold its pipes for ever."""
_MAX_MESSAGE_CHARACTERS: Final = 200
_SECRET: Final = re.compile(r"[A-Za-z0-9_\-.+=~]{32,}")
_MIN_LEFT_S: Final = 10.0
"""Credentials that end sooner are not used: a request takes some time to arrive."""


class CommandError(StintError):
    """A command that makes credentials has failed: which, and how."""


@dataclass(frozen=True, slots=True)
class Credential:
    """What a command has made."""

    token: str | None = field(repr=False)
    certificate: str | None = field(repr=False)
    key: str | None = field(repr=False)
    ends_s: float
    """In seconds since 1970; infinity: when the server refuses it."""

    def is_fresh(self, now_s: float) -> bool:
        """Whether a request that is sent now may use it."""
        return now_s + _MIN_LEFT_S < self.ends_s


@dataclass(frozen=True, slots=True)
class Command:
    """What to run."""

    arguments: tuple[str, ...] = field(repr=False)
    environment: Mapping[str, str] = field(repr=False)
    """What it gets beside the environment of this process."""
    version: str
    hint: str
    cluster: Mapping[str, Any] | None = field(repr=False)
    """The cluster that is passed to it, if the kubeconfig has provideClusterInfo."""

    @property
    def name(self) -> str:
        """Without its arguments, which may be secret."""
        return self.arguments[0]

    async def run(self, limit_s: float) -> Credential:
        """Runs it to its end. Raises CommandError."""
        output = await self._output(limit_s)
        try:
            answer = json.loads(output)
        except ValueError:
            raise CommandError(f"{self.name} has printed something that is not JSON; {_ALLOWED}") from None
        if not isinstance(answer, dict) or answer.get("apiVersion") != self.version:
            raise CommandError(f"{self.name} has printed no ExecCredential of {self.version}, as was asked for")
        status = answer.get("status")
        found = status if isinstance(status, dict) else {}
        token, certificate, key = (
            value if isinstance(value := found.get(name), str) and value else None
            for name in ("token", "clientCertificateData", "clientKeyData")
        )
        if (token is None and certificate is None) or (certificate is None) != (key is None):
            raise CommandError(f"{self.name} has printed neither a token nor a certificate with its key; {_ALLOWED}")
        return Credential(token, certificate, key, self._end_of(found.get("expirationTimestamp")))

    def _end_of(self, timestamp: object) -> float:
        if timestamp is None:
            return float("inf")
        try:
            end = datetime.fromisoformat(str(timestamp))
        except ValueError:
            raise CommandError(f"{self.name} has printed an expirationTimestamp that is no time of RFC 3339") from None
        return end.replace(tzinfo=end.tzinfo or UTC).timestamp()

    async def _output(self, limit_s: float) -> bytes:
        spec = {"interactive": False, **({} if self.cluster is None else {"cluster": self.cluster})}
        information = json.dumps({"apiVersion": self.version, "kind": "ExecCredential", "spec": spec})
        try:
            process = await asyncio.create_subprocess_exec(
                *self.arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, **self.environment, "KUBERNETES_EXEC_INFO": information},
                # So that what it starts can be ended with it.
                start_new_session=True,
            )
        except FileNotFoundError:
            hint = f"; {_first_line(self.hint)}" if self.hint else ""
            raise CommandError(f"there is no command {self.name}{hint}") from None
        except (OSError, ValueError) as error:
            raise CommandError(f"{self.name} cannot be run: {getattr(error, 'strerror', None) or 'it is no command'}")
        assert process.stdout is not None
        assert process.stderr is not None
        streams = (process.stdout, process.stderr)
        status: int | None = None
        try:
            async with asyncio.timeout(limit_s):
                output, errors = await asyncio.gather(*(_read(stream, process) for stream in streams))
                status = await process.wait()
        except TimeoutError:
            raise CommandError(f"{self.name} did not end within {limit_s:g} s, and was killed") from None
        finally:
            if status is None:
                await _end(process, streams)
        if max(len(output), len(errors)) > _MAX_OUTPUT_BYTES:
            raise CommandError(f"{self.name} has printed more than {_MAX_OUTPUT_BYTES} bytes, and was killed")
        if status != 0:
            how = f"ended with {status}" if status > 0 else f"was ended by signal {-status}"
            said = _first_line(errors.decode(errors="replace"))
            raise CommandError(f"{self.name} {how}{': ' if said else ''}{said}")
        return output


_ALLOWED: Final = "allowed is an ExecCredential with status.token, or clientCertificateData and clientKeyData"


def command_of(fields: object, folder: Path, cluster: Mapping[str, Any], what: str) -> Command:
    """The command of a user. `folder` has the kubeconfig, `cluster` is the entry of the context. Raises CommandError
    where it is not one that can be run here.
    """
    if not isinstance(fields, dict) or not fields.get("command"):
        raise CommandError(f"exec of the user of {what} has no command")
    version = fields.get("apiVersion")
    if version not in _VERSIONS:
        allowed = " and ".join(_VERSIONS)
        raise CommandError(f"the apiVersion of exec of {what} is {version!r}; allowed are {allowed}")
    if fields.get("interactiveMode") == "Always":
        raise CommandError(f"the command of {what} needs a terminal (interactiveMode: Always); there is none")
    arguments, environment = fields.get("args") or [], fields.get("env") or []
    if not isinstance(arguments, list) or not all(isinstance(argument, str) for argument in arguments):
        raise CommandError(f"args of exec of {what} is no list of texts")
    if not isinstance(environment, list) or not all(isinstance(one, dict) and one.get("name") for one in environment):
        raise CommandError(f"env of exec of {what} is no list of names and values")
    command = str(fields["command"])
    # With a slash it is relative to the kubeconfig; without one it is looked for in $PATH.
    program = str(folder / command) if "/" in command else command
    return Command(
        arguments=(program, *arguments),
        environment={str(one["name"]): str(one.get("value") or "") for one in environment},
        version=version,
        hint=str(fields.get("installHint") or ""),
        cluster=_described(cluster) if fields.get("provideClusterInfo") else None,
    )


def _described(cluster: Mapping[str, Any]) -> dict[str, Any]:
    """What a command may know of a cluster."""
    names = ("server", "tls-server-name", "insecure-skip-tls-verify", "certificate-authority-data", "proxy-url")
    described = {name: cluster[name] for name in names if cluster.get(name)}
    extensions = cluster.get("extensions")
    for entry in extensions if isinstance(extensions, list) else []:
        if isinstance(entry, dict) and entry.get("name") == "client.authentication.k8s.io/exec":
            described["config"] = entry.get("extension")
    return described


async def _read(stream: asyncio.StreamReader, process: asyncio.subprocess.Process) -> bytes:
    """All that a pipe has. Beyond the limit the process is ended, and the rest is not kept."""
    kept = bytearray()
    while chunk := await stream.read(65536):
        if len(kept) <= _MAX_OUTPUT_BYTES:
            kept += chunk
            if len(kept) > _MAX_OUTPUT_BYTES:
                _kill(process)
    return bytes(kept)


async def _end(process: asyncio.subprocess.Process, streams: tuple[asyncio.StreamReader, ...]) -> None:
    _kill(process)
    # asyncio says that a process has ended when its pipes have, too.
    with suppress(TimeoutError):
        async with asyncio.timeout(_REAP_S):
            await asyncio.gather(*(_read(stream, process) for stream in streams))
            await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    """Ends it with what it has started: something of that may hold its pipes, and keep its group when it has ended."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()


def _first_line(text: str) -> str:
    line = text.strip().split("\n", 1)[0]
    printable = "".join(character for character in line if character.isprintable())
    return _SECRET.sub("…", printable)[:_MAX_MESSAGE_CHARACTERS]
