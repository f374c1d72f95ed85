"""What a test sees of its cluster: time that it moves, pods whose end it decides, and why Jobs are where they are.

Each method is one request to the control API of `stint serve`; docs/control-api.md of the repository has them all.
"""

import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from stint.errors import StintError
from stint.testing.command import find_command
from stint.testing.server import Server

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

CONTROL = "/control/v1"


class ControlError(StintError):
    """The server has refused something. `code` is the HTTP status of its answer."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


# pytest leaves the frames of this file out when it shows a refusal: the line that counts is that of the test.
__tracebackhide__ = operator.methodcaller("errisinstance", ControlError)


@dataclass(frozen=True)
class JobReason:
    """A Job, and an explanation of its state."""

    job: str
    """`namespace/name`, but for the namespace default."""
    why: str


@dataclass(frozen=True)
class PodState:
    """A pod in short."""

    namespace: str
    name: str
    index: int | None
    """The completion index."""
    phase: str
    node: str | None
    terminating: bool


@dataclass(frozen=True)
class Drained:
    """What became of the pods of a drained node. A name is `namespace/name`, but for the namespace default."""

    evicted: list[str]
    refused: dict[str, str]
    """Those that a PodDisruptionBudget protects, with the message of the refusal."""


class StintCluster:
    """A separate cluster, whose time stands still until the test moves it.

    Durations are those of the command: `"90s"`, `"10m"`, `"1h30m"`; or a timedelta. A selector names a Job,
    `"job/x"` or in the namespace team `"team/job/x"`; or a pod, `"pod/x-0-abcde"`; or pods by their labels,
    `"app=web"`.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._clients: list[Any] = []

    @classmethod
    def start(
        cls,
        options: Sequence[str] = (),
        *,
        nodes: int | None = None,
        seed: int | None = None,
        command: Sequence[str] | None = None,
    ) -> Self:
        """Starts the server. `nodes` is how many there are: node-1 and so on, else one, `stint`. The same `seed` gives
        the same names and run times. `options` are further ones of `stint serve`, such as `--authorization rbac`.
        """
        words = list(options)
        words += [] if nodes is None else ["--nodes", str(nodes)]
        words += [] if seed is None else ["--seed", str(seed)]
        return cls(Server(find_command(Path.cwd()) if command is None else command, words))

    def stop(self) -> None:
        """Ends the server. It may be called again."""
        for client in self._clients:
            client.close()
        self._clients.clear()
        self._server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def kubeconfig(self) -> Path:
        """For clients in other processes: `KUBECONFIG=…`."""
        return self._server.kubeconfig

    @property
    def url(self) -> str:
        """`https://127.0.0.1:PORT`."""
        return self._server.url

    def client(self) -> "ApiClient":
        """A client of the package `kubernetes`, which has to be installed: `BatchV1Api(cluster.client())`."""
        from kubernetes import config

        client: ApiClient = config.new_client_from_config(str(self.kubeconfig))  # type: ignore[no-untyped-call]
        self._clients.append(client)
        return client

    def request(self, method: str, path: str, body: object = None, content_type: str = "application/json") -> Any:
        """Asks the Kubernetes API, where no client is installed. Raises ControlError for anything but a success."""
        return json.loads(self._ask(method, path, body, content_type))

    def now(self) -> datetime:
        """The cluster's time."""
        return _time_of(self._control("GET", "now"))

    def advance(self, duration: str | timedelta) -> datetime:
        """Lets time pass, and everything happen that is due meanwhile. The new time."""
        return _time_of(self._control("POST", "advance", {"duration": _duration(duration)}))

    def until_idle(self, limit: str | timedelta | None = None) -> list[JobReason]:
        """Advances time until every Job has ended, is suspended, or can only continue after an action of a user or
        another controller; returns those.

        Raises ControlError when that is not so within the limit, a day unless given.
        """
        return [JobReason(**one) for one in self._control("POST", "until-idle", _limit(limit))["waiting"]]

    def until(self, job: str, condition: str, limit: str | timedelta | None = None) -> datetime:
        """Lets time pass until a condition of the Job is True, and returns the new time.

        The condition is `"Complete"`, `"Failed"`, `"Suspended"`, `"FailureTarget"` or `"SuccessCriteriaMet"`. Raises
        ControlError when it does not come within the limit, a day unless given; and at once, with the reason, when it
        can no longer come: the Job has ended otherwise, or was deleted.
        """
        return _time_of(self._control("POST", "until", {"job": job, "condition": condition, **_limit(limit)}))

    def pods(self, selector: str) -> list[PodState]:
        """The pods that are there."""
        return _pods(self._control("GET", f"pods?selector={quote(selector, safe='')}"))

    def fail_pods(
        self,
        selector: str,
        *,
        index: int | None = None,
        exit_code: int = 1,
        reason: str | None = None,
        message: str | None = None,
        container: str | None = None,
    ) -> list[PodState]:
        """Their containers end with the exit code: at once, or as soon as they start."""
        how = {"index": index, "exitCode": exit_code, "reason": reason, "message": message, "container": container}
        return self._to_pods("fail", selector, how)

    def succeed_pods(
        self, selector: str, *, index: int | None = None, container: str | None = None
    ) -> list[PodState]:
        """Their containers end with 0: at once, or as soon as they start."""
        return self._to_pods("succeed", selector, {"index": index, "container": container})

    def hang_pods(self, selector: str, *, index: int | None = None, container: str | None = None) -> list[PodState]:
        """Their containers do not end by themselves any more."""
        return self._to_pods("hang", selector, {"index": index, "container": container})

    def evict_pods(self, selector: str, *, index: int | None = None) -> list[PodState]:
        """Asks the API to evict them."""
        return self._to_pods("evict", selector, {"index": index})

    def delete_pods(self, selector: str, *, index: int | None = None) -> list[PodState]:
        """Deletes them, with their grace periods."""
        return self._to_pods("delete", selector, {"index": index})

    def _to_pods(self, what: str, selector: str, how: Mapping[str, object]) -> list[PodState]:
        given = {name: value for name, value in how.items() if value is not None}
        return _pods(self._control("POST", f"pods/{what}", {"selector": selector, **given}))

    def outcomes(self, selector: str, outcome: Mapping[str, object] | None) -> None:
        """How containers of these pods end that start from now on, in the words of the annotation
        `stint.dev/simulate`: `{"exitCodes": [1, 1, 0], "runMs": 5000}`. None takes back what was said of the selector.
        """
        self._control("POST", "outcomes", {"selector": selector, "outcome": outcome})

    def cordon(self, node: str) -> None:
        """Keeps new pods from the node."""
        self._control("POST", "nodes/cordon", {"node": node})

    def uncordon(self, node: str) -> None:
        """Lets new pods on the node again."""
        self._control("POST", "nodes/uncordon", {"node": node})

    def drain(self, node: str) -> Drained:
        """Keeps new pods from the node, and evicts those that are there, once."""
        answer = self._control("POST", "nodes/drain", {"node": node})
        return Drained(answer["evicted"], {one["pod"]: one["message"] for one in answer["refused"]})

    def lose_node(self, node: str) -> None:
        """The machine fails without notice: the cluster has to find out."""
        self._control("POST", "nodes/lose", {"node": node})

    def crash(self, component: str = "controller") -> None:
        """The component ends, `"controller"` or `"scheduler"`, and a new one begins, which knows nothing."""
        self._control("POST", "crash", {"component": component})

    def why(self, job: str) -> str:
        """Explains the state of a Job: `"job/x"`, as `stint why` prints it."""
        text: str = self._control("GET", f"why?job={quote(job, safe='')}")["why"]
        return text

    def unsuccessful_jobs(self) -> list[JobReason]:
        """The Jobs that are not complete, 20 at most, and why, as `stint why` says it."""
        return [JobReason(**one) for one in self._control("GET", "unsuccessful")["jobs"]]

    def recording(self) -> bytes:
        """What the controller has received so far: a file for `stint replay --explain`."""
        return self._ask("GET", f"{CONTROL}/recording")

    def _control(self, method: str, what: str, body: object = None) -> Any:
        return json.loads(self._ask(method, f"{CONTROL}/{what}", body))

    def _ask(self, method: str, path: str, body: object = None, content_type: str = "application/json") -> bytes:
        status, answer = self._server.request(method, path, body, content_type)
        if status < 300:
            return answer
        try:
            message = json.loads(answer)["message"]
        except (ValueError, LookupError, TypeError):
            message = answer.decode(errors="replace")
        raise ControlError(status, message)


def _duration(duration: str | timedelta) -> str:
    if isinstance(duration, str):
        return duration
    return f"{duration // timedelta(milliseconds=1)}ms"


def _limit(limit: str | timedelta | None) -> dict[str, str]:
    return {} if limit is None else {"limit": _duration(limit)}


def _pods(answer: Mapping[str, Any]) -> list[PodState]:
    return [PodState(**one) for one in answer["pods"]]


def _time_of(answer: Mapping[str, str]) -> datetime:
    return datetime.fromisoformat(answer["now"])
