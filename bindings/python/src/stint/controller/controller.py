"""The whole controller: credentials, an engine with its lists and watches, and a new engine when one traps or when this
process may write again.

Invariant: at most one engine works at a time, and a new one begins only when no request of the one before is under way.
A new engine knows nothing and lists everything, because everything that must last is stored in Kubernetes. Leaves out
who leads: `fence` or an election says so.
"""

import asyncio
import logging
import os
import random
import secrets
from collections.abc import Callable, Coroutine, Sequence
from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec

from stint import __version__
from stint.abi import DecisionCode, EngineConfiguration, EngineConstants
from stint.controller.election import LeaderElection
from stint.controller.kubeconfig import Access, load_access
from stint.controller.limits import Limits
from stint.controller.session import FenceClosedError, Session, now_ms
from stint.controller.sources import sources_of
from stint.controller.transport import Transport
from stint.engine import Decision, Engine, EngineModule, Explanation
from stint.errors import EngineError

DEFAULT_MANAGER: Final = "stint.dev/job-controller"
DEFAULT_FINALIZER: Final = "stint.dev/job-tracking"
_INSTANCE_BYTES: Final = 4

_log = logging.getLogger("stint.controller")


class Controller:
    """Runs the Jobs of a cluster, from `run` until that is cancelled."""

    def __init__(
        self,
        *,
        kubeconfig: str | os.PathLike[str] | None = None,
        context: str | None = None,
        namespaces: Sequence[str] = (),
        managed_by: str | None = DEFAULT_MANAGER,
        finalizer: str | None = None,
        manual_selectors: bool = False,
        removes_finished: bool | None = None,
        constants: EngineConstants | None = None,
        fence: Callable[[], bool] | None = None,
        election: LeaderElection | None = None,
        on_decisions: Callable[[list[Decision]], None] | None = None,
        limits: Limits | None = None,
        module: EngineModule | None = None,
        user_agent: str = f"stint/{__version__}",
    ) -> None:
        """Reads the credentials and checks the settings; nothing is sent.

        kubeconfig: a file; else what kubectl would take, else the service account of the pod. context: one of it; else
        the current one.
        namespaces: only Jobs of these; else of all.
        managed_by: the Jobs whose spec.managedBy is this value. None: those of the built-in Job controller, in a
        cluster where that one is off. finalizer: with managed_by, what keeps a pod until it is counted.
        manual_selectors: also Jobs with spec.manualSelector; then all pods are watched.
        removes_finished: delete finished Jobs when their time to live is over; None: only without managed_by.
        constants: upstream's constants, where another value is wanted.
        fence: says whether this process may write now, before every write and once a second. When it closes, the
        engine is given up; when it opens, a fresh one lists everything. It is where another election comes in. A
        write that was let pass may arrive as much as `limits.request_timeout_s` later: a lease must last longer.
        election: a part in an election over a Lease, which begins and ends with `run`; it is the fence then.
        on_decisions: gets the decisions as they are made. What it raises ends the controller.

        Raises KubeconfigError, ValueError, or EngineError `BAD_CONFIGURATION`.
        """
        if managed_by is None and finalizer is not None:
            raise ValueError(
                f"finalizer is {finalizer!r} and managed_by is None: the Jobs of the built-in controller have its "
                "finalizer; leave one of them out"
            )
        if fence is not None and election is not None:
            raise ValueError("fence and election are both given: an election is a fence; leave one of them out")
        self._sources = sources_of(namespaces, manual_selectors)
        self._configuration: EngineConfiguration = {"sources": [source.configuration for source in self._sources]}
        if managed_by is not None:
            self._configuration["managedBy"] = managed_by
            self._configuration["finalizer"] = finalizer or DEFAULT_FINALIZER
        if removes_finished is not None:
            self._configuration["removesFinished"] = removes_finished
        if constants is not None:
            self._configuration["constants"] = constants
        self._instance = secrets.token_hex(_INSTANCE_BYTES)
        self._engines = 0
        self._limits = limits or Limits()
        self._election = election
        self._fence = fence or (election.fence if election else lambda: True)
        self._tell = on_decisions
        self._module = module
        self._user_agent = user_agent
        self._said = _SaidOnce()
        self._reload: Callable[[], Access] = lambda: load_access(kubeconfig and Path(kubeconfig), context)
        self._access = self._reload()
        self._engine = self._create_engine()
        self._is_fresh = True
        self._listed: Engine | None = None
        """The engine for which every source was listed."""

    @property
    def engine(self) -> Engine:
        """The present engine, for `metrics` and `verdict`. After a trap it is another one."""
        return self._engine

    @property
    def has_listed(self) -> bool:
        """Every source was listed once, so the controller acts on Jobs: what a readiness probe asks. It stays true
        while a source is listed again.
        """
        if self._listed is not self._engine:
            has_listed = all(self._engine.watch_version(source.id) >= 0 for source in self._sources)
            self._listed = self._engine if has_listed else None
        return self._listed is self._engine

    def explain(self, namespace: str, job: str) -> Explanation:
        """What is known of one Job now, and why it does or does not progress."""
        return self._engine.explain(namespace, job, now_ms())

    async def run(self) -> None:
        """Works until it is cancelled. Requests under way then have the grace period to end. Raises EngineTrapError
        when engines trap again and again, and what `on_decisions` or `fence` raise. It may be called again after it has
        ended, and not before.
        """
        _log.info("the Job controller starts: %s, %s", self._access.origin, self._access.description)
        async with self._election or nullcontext():
            await self._work()

    async def _work(self) -> None:
        transport = Transport(self._access, self._reload, self._limits, self._user_agent)
        traps = 0
        try:
            while True:
                while not self._fence():
                    await asyncio.sleep(self._limits.fence_interval_s)
                if not self._is_fresh:
                    self._engine.close()
                    self._engine = self._create_engine()
                self._is_fresh = False
                session = self._session(transport)
                try:
                    await session.run()
                except FenceClosedError:
                    _log.warning("the fence has closed: nothing is written until it opens, then all is listed again")
                except EngineError as trap:
                    # A refusal, too: what this loop feeds in is never refused, unless the engine is not sound.
                    traps += 1
                    if traps > self._limits.max_engine_restarts:
                        _log.error("%s; this was trap number %d, and the controller ends", trap, traps)
                        raise
                    _log.error("%s; starting engine number %d", trap, self._engines + 1)
                finally:
                    if session.gave_up and self._election is not None:
                        self._election.keeps_lease = True
        finally:
            await transport.close()

    def _session(self, transport: Transport) -> Session:
        return Session(
            self._engine,
            transport,
            self._sources,
            limits=self._limits,
            random=random.random,
            fence=self._fence,
            on_decisions=self._decided,
            on_problem=self._warn,
        )

    def _create_engine(self) -> Engine:
        engine = Engine(self._module)
        # The next engine must not use the names of Events of the one before again.
        instance = f"{self._instance}-{self._engines}" if self._engines else self._instance
        self._engines += 1
        engine.configure({**self._configuration, "instance": instance})
        return engine

    def _decided(self, decisions: list[Decision]) -> None:
        for decision in decisions:
            code = decision["code"]
            level = _LEVELS.get(code, logging.DEBUG)
            _log.log(level, "%s/%s: %s (%s)", decision["namespace"], decision["job"], decision["message"], code)
        if self._tell is not None:
            self._tell(decisions)

    def _warn(self, problem: str) -> None:
        _log.log(logging.WARNING if self._said.is_new(problem) else logging.DEBUG, "%s", problem)


_LEVELS: Final[dict[str, int]] = {DecisionCode.ENDED: logging.INFO, DecisionCode.REFUSED: logging.WARNING}


class _SaidOnce:
    """Tells whether a sentence was not said for a minute: a thousand Jobs that may not create pods are one problem."""

    INTERVAL_MS: Final = 60_000
    MAX_SENTENCES: Final = 256

    def __init__(self) -> None:
        self._said_ms: dict[str, int] = {}

    def is_new(self, sentence: str) -> bool:
        at_ms = now_ms()
        last_ms = self._said_ms.get(sentence)
        if last_ms is not None and at_ms - last_ms < self.INTERVAL_MS:
            return False
        self._said_ms.pop(sentence, None)
        self._said_ms[sentence] = at_ms
        if len(self._said_ms) > self.MAX_SENTENCES:
            del self._said_ms[next(iter(self._said_ms))]
        return True


_Settings = ParamSpec("_Settings")


def _runner(make: Callable[_Settings, Controller]) -> Callable[_Settings, Coroutine[Any, Any, None]]:
    """A function with the parameters of `make`."""

    @wraps(make)
    async def run(*arguments: _Settings.args, **settings: _Settings.kwargs) -> None:
        await make(*arguments, **settings).run()

    run.__name__ = run.__qualname__ = "run"
    run.__doc__ = "Runs the Jobs of a cluster until it is cancelled. The settings are those of `Controller`."
    return run


run = _runner(Controller)
