"""Which one of several replicas acts: the one that holds a Lease, as with Kubernetes' own controllers.

Invariant: while `fence` says yes, no other replica can take the Lease before a write that is let pass now has arrived.
This replica counts from the moment at which it sent its last successful renewal, on a clock that never steps back;
another one waits for the whole duration after it saw that renewal. The times in the Lease are for people, and are never
compared. Leaves out what a leader does. Source: client-go tools/leaderelection/leaderelection.go.
"""

import asyncio
import json
import logging
import math
import os
import random
import secrets
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from stint import __version__
from stint.controller.kubeconfig import Access, KubeconfigError, load_access
from stint.controller.limits import Limits
from stint.controller.refusals import message_of, one_line, refusal
from stint.controller.transport import Answer, Transport

DEFAULT_LEASE: Final = "stint-job-controller"
_JITTER: Final = 0.2
"""Each wait is longer by a random share up to this, so that replicas do not act in step."""
_IDENTITY_BYTES: Final = 8
_JSON: Final = "application/json"
_OK, _CREATED, _NOT_FOUND, _CONFLICT = 200, 201, 404, 409

_log = logging.getLogger("stint.controller")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseTimes:
    """The defaults are those of Kubernetes' own controllers."""

    duration_s: float = 15.0
    """How long others wait, after the last renewal that they saw, before they take over."""
    renew_deadline_s: float = 10.0
    """A leader that could not renew for this long gives up."""
    retry_period_s: float = 2.0
    """Between two attempts to get or to renew the Lease."""

    def __post_init__(self) -> None:
        if not 0 < self.retry_period_s * (1 + _JITTER) < self.renew_deadline_s < self.duration_s:
            raise ValueError(
                f"retry_period_s is {self.retry_period_s:g}, renew_deadline_s {self.renew_deadline_s:g} and duration_s "
                f"{self.duration_s:g}; allowed are positive numbers, {1 + _JITTER:g} times the first below the second, "
                "and that below the third"
            )


class LeaderElection:
    """One replica's part in an election: from `async with` to its end. `Controller` takes one, and does that itself."""

    def __init__(
        self,
        *,
        kubeconfig: str | os.PathLike[str] | None = None,
        context: str | None = None,
        namespace: str | None = None,
        name: str = DEFAULT_LEASE,
        identity: str | None = None,
        times: LeaseTimes | None = None,
        limits: Limits | None = None,
        user_agent: str = f"stint/{__version__}",
    ) -> None:
        """Reads the credentials; nothing is sent.

        kubeconfig, context: as for `Controller`.
        namespace: of the Lease; else that of the context or of the pod.
        name: of the Lease: the same for all replicas, and for nothing else.
        identity: of this replica, which no other one may ever have; else the name of the host, and a random one.
        limits: those of the writes that `fence` lets pass: `request_timeout_s`, and how often it is asked.

        Raises KubeconfigError or ValueError.
        """
        self._times = times or LeaseTimes()
        self._write_s = (limits or Limits()).request_timeout_s
        if self._write_s + self._times.retry_period_s * (1 + _JITTER) >= self._times.duration_s:
            raise ValueError(
                f"the Lease lasts {self._times.duration_s:g} s, and a write may take {self._write_s:g} s "
                "(request_timeout_s); the Lease must last longer than that, and a retry period"
            )
        self._reload: Callable[[], Access] = lambda: load_access(kubeconfig and Path(kubeconfig), context)
        self._access = self._reload()
        self._namespace = namespace or self._access.namespace
        if not self._namespace:
            raise KubeconfigError(f"{self._access.description} names no namespace for the Lease; name one: namespace=")
        self._name = name
        self.identity: Final = identity or f"{socket.gethostname()}_{secrets.token_hex(_IDENTITY_BYTES)}"
        self.keeps_lease = False
        """At the end the Lease runs out, instead of being given back: a write under it may still be on its way."""
        self._path = f"/apis/coordination.k8s.io/v1/namespaces/{self._namespace}/leases"
        self._user_agent = user_agent
        self._transport: Transport | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self._lease: dict[str, Any] | None = None
        self._seen_s = 0.0
        """When the present version of the Lease was first seen."""
        self._is_leading = False
        self._held_until_s = -math.inf
        self._renewed_s = -math.inf
        self._problem = ""

    @property
    def is_leading(self) -> bool:
        """Whether this replica holds the Lease, as far as it knows. What may write is said by `fence`."""
        return self._is_leading

    @property
    def leader(self) -> str | None:
        """The holder of the Lease. None: no holder is known."""
        return (self._lease or {}).get("spec", {}).get("holderIdentity") or None

    def fence(self) -> bool:
        """Whether this process may write now: no other one can lead before the write has arrived."""
        if self._task is not None and self._task.done() and not self._stopping.is_set():
            self._task.result()  # It has no end but by a fault, which is raised here.
        return self._is_leading and self._now_s() + self._write_s < self._held_until_s

    async def __aenter__(self) -> Self:
        # An attempt that gets no answer must leave time for another one before the deadline.
        limits = replace(Limits(), request_timeout_s=self._times.renew_deadline_s / 2)
        self._transport = Transport(self._access, self._reload, limits, self._user_agent)
        self._stopping.clear()
        self.keeps_lease = False
        self._task = asyncio.create_task(self._follow())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        assert self._transport is not None
        try:
            # An attempt that is under way comes to its end: it may get the Lease yet.
            self._stopping.set()
            await self._task
            await self._release()
        finally:
            self._task.cancel()
            self._forget()
            await self._transport.close()

    async def _follow(self) -> None:
        while not self._stopping.is_set():
            await self._attempt()
            wait_s = self._times.retry_period_s * (1 + _JITTER * random.random())
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._stopping.wait()

    async def _attempt(self) -> None:
        """Gets or renews the Lease, if it can be had."""
        if self._lease is None or not self._is_leading:
            failure = await self._read(may_read_again=True)
        else:
            failure = await self._write("PUT", self._lease, may_read_again=True)
        self._note(failure)
        if self._is_leading and self._now_s() >= self._renewed_s + self._times.renew_deadline_s:
            self._lose(f"the Lease could not be renewed for {self._times.renew_deadline_s:g} s")

    async def _read(self, *, may_read_again: bool) -> str:
        """The part of a sentence that says what went wrong; empty: nothing."""
        answer = await self._ask("GET", None)
        if answer.status == _NOT_FOUND:
            self._lease = None
            if self._is_leading:
                self._lose("the Lease was deleted")
            return await self._write("POST", None, may_read_again=may_read_again)
        if answer.status != _OK or not self._see(answer):
            return self._failure("GET", answer)
        assert self._lease is not None
        if self.leader not in (None, self.identity):
            if self._is_leading:
                self._lose(f"{self.leader} holds the Lease")
            duration_s = self._lease["spec"].get("leaseDurationSeconds")
            if self._now_s() < self._seen_s + (duration_s if isinstance(duration_s, int | float) else 0):
                return ""
        return await self._write("PUT", self._lease, may_read_again=may_read_again)

    async def _write(self, method: str, lease: dict[str, Any] | None, *, may_read_again: bool) -> str:
        """Takes or renews the Lease. Its resourceVersion makes the write fail if another replica wrote in between. It
        has worked only if the answer is the Lease with this replica as its holder.
        """
        sent_s = self._now_s()
        answer = await self._ask(method, self._body(lease))
        if answer.status in (_OK, _CREATED) and self._see(answer) and self.leader == self.identity:
            self._renewed_s = sent_s
            self._held_until_s = sent_s + self._times.duration_s
            if not self._is_leading:
                self._is_leading = True
                _log.info("%s leads: it holds the Lease %s/%s", self.identity, self._namespace, self._name)
            return ""
        # Another replica wrote to the Lease, or it is gone, so it is read. A 404 to a POST says that there is no such
        # namespace.
        if answer.status == _CONFLICT or (answer.status == _NOT_FOUND and method == "PUT"):
            self._held_until_s = -math.inf
            if may_read_again:
                return await self._read(may_read_again=False)
            return ""
        return self._failure(method, answer)

    async def _release(self) -> None:
        """Gives the Lease back, so that another replica need not wait. If one has it already, the resourceVersion makes
        a conflict.
        """
        if self._lease is None or self.leader != self.identity or self.keeps_lease:
            return
        now = _micro_time()
        spec = {"holderIdentity": "", "leaseDurationSeconds": 1, "acquireTime": now, "renewTime": now}
        self._is_leading = False
        self._held_until_s = -math.inf
        answer = await self._ask("PUT", {**self._lease, "spec": {**self._lease["spec"], **spec}})
        if answer.status not in (_OK, _CONFLICT):
            self._note(self._failure("PUT", answer))

    def _body(self, lease: dict[str, Any] | None) -> dict[str, Any]:
        now = _micro_time()
        before: dict[str, Any] = {} if lease is None else lease["spec"]
        is_mine = before.get("holderIdentity") == self.identity
        transitions = before.get("leaseTransitions") or 0
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name, "namespace": self._namespace} if lease is None else lease["metadata"],
            "spec": {
                **before,
                "holderIdentity": self.identity,
                "leaseDurationSeconds": math.ceil(self._times.duration_s),
                "acquireTime": (before.get("acquireTime") if is_mine else None) or now,
                "renewTime": now,
                "leaseTransitions": transitions if is_mine or lease is None else transitions + 1,
            },
        }

    def _see(self, answer: Answer) -> bool:
        """Takes note of the Lease in an answer. False: there is none."""
        try:
            lease = json.loads(answer.body)
        except ValueError:
            return False
        if not isinstance(lease, dict) or lease.get("kind") != "Lease":
            return False
        metadata, spec = lease.get("metadata"), lease.get("spec") or {}
        if not isinstance(metadata, dict) or not isinstance(spec, dict) or not metadata.get("resourceVersion"):
            return False
        seen = (self._lease or {}).get("metadata", {}).get("resourceVersion")
        if metadata["resourceVersion"] != seen:
            self._seen_s = self._now_s()
        named = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
        self._lease = {**named, "metadata": metadata, "spec": spec}
        return True

    async def _ask(self, method: str, body: dict[str, Any] | None) -> Answer:
        assert self._transport is not None
        path = self._path if method == "POST" else f"{self._path}/{self._name}"
        content = None if body is None else json.dumps(body).encode()
        return await self._transport.send(method, path, _JSON, _JSON if body is not None else "", content)

    def _failure(self, method: str, answer: Answer) -> str:
        if answer.status in (_OK, _CREATED):
            return "the answer is no Lease"
        message = answer.problem or message_of(answer.body)
        return refusal(method, f"{self._path}/{self._name}", answer.status, message, self._access.description)

    def _note(self, failure: str) -> None:
        """Logs what is new of it."""
        if failure and failure != self._problem:
            _log.warning("the Lease %s/%s: %s; it is tried again", self._namespace, self._name, one_line(failure))
        self._problem = failure

    def _lose(self, reason: str) -> None:
        self._is_leading = False
        self._held_until_s = -math.inf
        _log.warning("%s leads no longer: %s", self.identity, reason)

    def _forget(self) -> None:
        self._is_leading = False
        self._held_until_s = -math.inf
        self._lease = None

    @staticmethod
    def _now_s() -> float:
        return time.monotonic()


def _micro_time() -> str:
    """Now, in the form of the API's MicroTime: six digits after the point."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
