"""The election over a Lease: at most one replica may write at any time, whatever is lost, late or changed by others."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from built_engine import engine_module
from fake_api import FAST, FakeApi, Reply, asynchronous, job, running
from served_cluster import ServedCluster
from stint.controller import Controller, LeaderElection, LeaseTimes, Limits
from stint.controller.transport import Answer
from test_kubeconfig import config, written

LEASE = {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1"}


class Store:
    """An API server with one Lease, as the transport of a replica; `time_s` is the clock of all."""

    def __init__(self) -> None:
        self.time_s = 1000.0
        self.lease: dict[str, Any] | None = None
        self.version = 0
        self.script: list[Answer] = []
        """Answers that come instead, in order; of status 0: the write is taken, and its answer is lost."""
        self.takes_s = 0.0
        """How long an answer takes."""
        self.methods: list[str] = []

    async def send(
        self, method: str, _path: str, _accept: str, _content_type: str = "", body: bytes | None = None
    ) -> Answer:
        self.methods.append(method)
        scripted = self.script.pop(0) if self.script else None
        answer = scripted if scripted is not None and scripted.status != 0 else self._answer(method, body)
        self.time_s += self.takes_s
        return answer if scripted is None else scripted

    def _answer(self, method: str, body: bytes | None) -> Answer:
        if method == "POST":
            return Answer(409) if self.lease is not None else self.put(json.loads(body or b""), 201)
        if self.lease is None:
            return Answer(404)
        if method == "GET":
            return Answer(200, json.dumps(self.lease).encode())
        sent = json.loads(body or b"")
        if sent["metadata"]["resourceVersion"] != self.lease["metadata"]["resourceVersion"]:
            return Answer(409)
        return self.put(sent)

    def put(self, lease: dict[str, Any], status: int = 200) -> Answer:
        self.version += 1
        self.lease = {**lease, "metadata": {**lease["metadata"], "resourceVersion": str(self.version)}}
        return Answer(status, json.dumps(self.lease).encode())

    @property
    def spec(self) -> dict[str, Any]:
        assert self.lease is not None
        spec: dict[str, Any] = self.lease["spec"]
        return spec


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    made = Store()
    monkeypatch.setattr(LeaderElection, "_now_s", staticmethod(lambda: made.time_s))
    yield made


def replica(store: Store, folder: Path, identity: str, **settings: Any) -> LeaderElection:
    made = LeaderElection(kubeconfig=written(folder, config()), identity=identity, **settings)
    made._transport = store  # type: ignore[assignment]
    return made


async def attempts(store: Store, election: LeaderElection, count: int = 1, every_s: float = 2.0) -> None:
    for _ in range(count):
        await election._attempt()
        store.time_s += every_s


class TestElection:
    @asynchronous
    async def test_the_first_makes_the_lease_and_renews_it(self, store: Store, tmp_path: Path) -> None:
        first = replica(store, tmp_path, "a")
        assert not first.fence()
        await attempts(store, first)
        assert (first.is_leading, first.fence(), first.leader) == (True, True, "a")
        assert (store.spec["holderIdentity"], store.spec["leaseDurationSeconds"]) == ("a", 15)
        assert store.spec["leaseTransitions"] == 0
        acquired, renewed = store.spec["acquireTime"], store.spec["renewTime"]
        await attempts(store, first)
        assert store.spec["acquireTime"] == acquired
        assert store.spec["renewTime"] > renewed
        assert store.methods == ["GET", "POST", "PUT"]

    @asynchronous
    async def test_another_one_waits_for_the_whole_duration_that_it_saw(self, store: Store, tmp_path: Path) -> None:
        first, second = replica(store, tmp_path, "a"), replica(store, tmp_path, "b")
        await attempts(store, first)
        seen_s = store.time_s
        while not second.is_leading:
            assert not (first.fence() and second.fence())
            await attempts(store, second)
        assert store.time_s - 2.0 == seen_s + 16.0
        assert not first.fence()
        assert (store.spec["holderIdentity"], store.spec["leaseTransitions"]) == ("b", 1)
        # The first one sees it, and stops leading.
        await attempts(store, first)
        assert (first.is_leading, first.leader) == (False, "b")

    @asynchronous
    async def test_a_renewal_that_is_seen_begins_the_wait_anew(self, store: Store, tmp_path: Path) -> None:
        first, second = replica(store, tmp_path, "a"), replica(store, tmp_path, "b")
        for _ in range(20):
            await attempts(store, first, every_s=1.0)
            await attempts(store, second, every_s=1.0)
            assert (first.is_leading, second.is_leading) == (True, False)

    @asynchronous
    async def test_the_fence_closes_before_a_write_could_arrive_too_late(self, store: Store, tmp_path: Path) -> None:
        only = replica(store, tmp_path, "a", limits=Limits(request_timeout_s=4.0))
        sent_s = store.time_s
        store.takes_s = 3.0
        await attempts(store, only, every_s=0.0)
        # Of the Lease's 15 s, counted from when the POST was sent, 4 are for the write.
        for time_s, may_write in ((sent_s + 3 + 10.9, True), (sent_s + 3 + 11.0, False)):
            store.time_s = time_s
            assert only.fence() is may_write

    @asynchronous
    async def test_a_leader_that_cannot_renew_gives_up(
        self, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        only = replica(store, tmp_path, "a")
        await attempts(store, only)
        for after_s in (2, 4, 6, 8):
            store.script = [Answer(503)]
            await attempts(store, only)
            assert only.is_leading, after_s
        store.script = [Answer(503)]
        await attempts(store, only)
        assert not only.is_leading
        assert "a leads no longer: the Lease could not be renewed for 10 s" in caplog.text
        # What is the same is said once.
        assert caplog.text.count("update leases.coordination.k8s.io in namespace ci was answered 503") == 1
        await attempts(store, only)
        assert only.fence()

    @asynchronous
    async def test_an_answer_that_is_lost_loses_nothing(self, store: Store, tmp_path: Path) -> None:
        only = replica(store, tmp_path, "a")
        store.script = [Answer(404), Answer(0, problem="lost")]
        await attempts(store, only)
        assert (only.is_leading, only.fence()) == (False, False)
        await attempts(store, only)
        assert only.fence()
        store.script = [Answer(0, problem="lost")]
        await attempts(store, only)
        # Its own write makes the next one conflict; it reads the Lease, and finds itself.
        await attempts(store, only)
        assert (only.fence(), store.methods[-3:]) == (True, ["PUT", "GET", "PUT"])

    @asynchronous
    async def test_two_that_write_at_once(self, store: Store, tmp_path: Path) -> None:
        first, second = replica(store, tmp_path, "a"), replica(store, tmp_path, "b")
        store.script = [Answer(404)]
        await attempts(store, first)
        store.script = [Answer(404)]
        await attempts(store, second)
        assert (first.fence(), second.fence()) == (True, False)
        assert second.leader == "a"

    @asynchronous
    async def test_a_lease_that_somebody_takes_or_deletes_is_lost_at_once(self, store: Store, tmp_path: Path) -> None:
        only = replica(store, tmp_path, "a")
        await attempts(store, only)
        assert store.lease is not None
        store.put({**store.lease, "spec": {**store.spec, "holderIdentity": "b"}})
        await attempts(store, only)
        assert (only.is_leading, only.leader) == (False, "b")
        store.lease = None
        await attempts(store, only)
        assert only.fence()
        store.lease = None
        await attempts(store, only)
        assert (only.fence(), store.methods[-3:]) == (True, ["PUT", "GET", "POST"])
        store.lease = None
        store.script = [Answer(404), Answer(404), Answer(403)]
        await attempts(store, only)
        assert (only.is_leading, only.leader) == (False, None)

    @asynchronous
    async def test_a_write_that_leaves_somebody_else_the_lease_makes_no_leader(
        self, store: Store, tmp_path: Path
    ) -> None:
        only = replica(store, tmp_path, "a")
        lease = {**LEASE, "metadata": {"resourceVersion": "7"}, "spec": {"holderIdentity": "b"}}
        store.script = [Answer(404), Answer(201, json.dumps(lease).encode())]
        await attempts(store, only)
        assert (only.is_leading, only.leader) == (False, "b")

    @pytest.mark.parametrize("body", [b"", b"[]", b'{"kind": "Status"}', b'{"kind": "Lease", "metadata": {}}'])
    @asynchronous
    async def test_an_answer_that_is_no_lease_makes_no_leader(self, store: Store, tmp_path: Path, body: bytes) -> None:
        only = replica(store, tmp_path, "a")
        store.script = [Answer(200, body)]
        await attempts(store, only)
        store.script = [Answer(404), Answer(201, body)]
        await attempts(store, only)
        assert not only.is_leading

    @asynchronous
    async def test_refusals_say_which_right_is_missing(
        self, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        store.script = [Answer(403)]
        await attempts(store, replica(store, tmp_path, "a"))
        assert "need a role with the verb get on leases.coordination.k8s.io in namespace ci" in caplog.text

    @asynchronous
    async def test_the_end_gives_the_lease_back(self, store: Store, tmp_path: Path) -> None:
        first, second = replica(store, tmp_path, "a"), replica(store, tmp_path, "b")
        await attempts(store, first)
        await attempts(store, second)
        await first._release()
        assert (store.spec["holderIdentity"], store.spec["leaseDurationSeconds"], first.fence()) == ("", 1, False)
        await attempts(store, second)
        assert (second.fence(), store.spec["leaseTransitions"]) == (True, 1)
        # One that does not hold it leaves it alone.
        await first._release()
        assert store.spec["holderIdentity"] == "b"

    @asynchronous
    async def test_the_lease_runs_out_while_a_write_may_yet_arrive(self, store: Store, tmp_path: Path) -> None:
        only = replica(store, tmp_path, "a")
        await attempts(store, only)
        only.keeps_lease = True
        await only._release()
        assert store.spec["holderIdentity"] == "a"


class TestSettings:
    @pytest.mark.parametrize(
        "times",
        [{"duration_s": 10.0}, {"renew_deadline_s": 2.4}, {"retry_period_s": 0.0}, {"renew_deadline_s": 20.0}],
    )
    def test_times_that_contradict_each_other_are_refused(self, times: dict[str, float]) -> None:
        with pytest.raises(ValueError, match="1.2 times the first below the second"):
            LeaseTimes(**times)

    def test_a_lease_outlasts_a_write(self, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match=r"the Lease lasts 15 s, and a write may take 13 s \(request_timeout_s\)"):
            LeaderElection(kubeconfig=written(tmp_path, config()), limits=Limits(request_timeout_s=13.0))

    def test_the_namespace_is_that_of_the_context(self, tmp_path: Path) -> None:
        content = config()
        del content["contexts"][0]["context"]["namespace"]
        with pytest.raises(Exception, match="names no namespace for the Lease; name one: namespace="):
            LeaderElection(kubeconfig=written(tmp_path, content))

    def test_a_fence_beside_it_is_refused(self, tmp_path: Path) -> None:
        path = written(tmp_path, config())
        with pytest.raises(ValueError, match="fence and election are both given"):
            Controller(kubeconfig=path, fence=lambda: True, election=LeaderElection(kubeconfig=path))


class TestControllers:
    @asynchronous
    async def test_write_only_while_they_lead(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            api.jobs.append(job("a", managedBy="stint.dev/job-controller"))
            held = {"holderIdentity": "other", "leaseDurationSeconds": 3600}
            lease = {**LEASE, "metadata": {"name": "stint-job-controller", "resourceVersion": "1"}, "spec": held}
            api.script["list leases"] = [Reply(200, lease), Reply(404)]
            path = written(tmp_path, config({"server": api.url, "insecure-skip-tls-verify": True}))
            times = LeaseTimes(duration_s=15.0, renew_deadline_s=10.0, retry_period_s=0.2)
            election = LeaderElection(kubeconfig=path, identity="me", times=times)
            async with running(Controller(kubeconfig=path, limits=FAST, module=engine_module(), election=election)):
                await api.wait_for("create pods")
            actions = [seen.action for seen in api.seen]
            assert actions[:3] == ["list leases", "list leases", "create leases"]
            # The last of all gives it back.
            assert actions[-1] == "update leases"
            assert json.loads(api.seen[-1].body)["spec"]["holderIdentity"] == ""

    @asynchronous
    async def test_a_fault_of_the_election_ends_the_controller(self, tmp_path: Path) -> None:
        path = written(tmp_path, config())
        election = LeaderElection(kubeconfig=path)

        async def fail() -> None:
            raise ZeroDivisionError

        election._attempt = fail  # type: ignore[method-assign]
        with pytest.raises(ZeroDivisionError):
            await Controller(kubeconfig=path, limits=FAST, module=engine_module(), election=election).run()

    def test_a_replica_takes_over_from_one_that_ends(self, cluster: ServedCluster) -> None:
        def replica(identity: str) -> Controller:
            times = LeaseTimes(duration_s=15.0, renew_deadline_s=10.0, retry_period_s=0.1)
            election = LeaderElection(kubeconfig=cluster.kubeconfig, name="elected", identity=identity, times=times)
            return Controller(
                kubeconfig=cluster.kubeconfig, managed_by=None, module=engine_module(), election=election
            )

        async def run() -> None:
            async with running(replica("a")):
                await asyncio.to_thread(cluster.wait_for, "elected", lambda status: status.get("active") == 1)
                async with running(replica("b")):
                    pass
            async with running(replica("c")):
                await asyncio.to_thread(cluster.wait_for_end, "elected")

        cluster.create("elected", {"runMs": 1500}, completions=2, parallelism=1)
        asyncio.run(run())
        spec = cluster.request("GET", "/apis/coordination.k8s.io/v1/namespaces/default/leases/elected")["spec"]
        assert (spec["holderIdentity"], spec["leaseTransitions"]) == ("", 1)
