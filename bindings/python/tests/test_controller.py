"""The loop round the engine, against an API server that plays faults: what is asked for next, after which wait, and
what is said of it. Leaves out what the engine decides: that is in the vectors.
"""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from fake_api import (
    FAST,
    TOKEN,
    FakeApi,
    Lines,
    Reply,
    Silence,
    asynchronous,
    bookmark,
    controller_of,
    event,
    job,
    list_of,
    running,
    status,
)
from stint import (
    Decision,
    Engine,
    EngineError,
    EngineTrapError,
    ErrorCode,
    IngestKind,
    PollResult,
    SavedEngine,
    __version__,
)
from stint.controller import Limits

QUICK_CONSTANTS = {"syncRetryBaseMs": 1, "syncRetryMaxMs": 2, "syncCoalesceMs": 0}


@pytest.fixture(autouse=True)
def _logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="stint.controller")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits before a list or a watch is tried again. They are over at once."""
    waited: list[float] = []

    async def wait(delay_s: float) -> None:
        waited.append(delay_s)
        await asyncio.sleep(0.001)

    monkeypatch.setattr("stint.controller.reader.sleep", wait)
    return waited


class TestLists:
    @asynchronous
    async def test_come_in_pages(self, tmp_path: Path) -> None:
        token = 'a/b+c="ü'
        async with FakeApi().served() as api:
            api.script["list jobs"] = [
                Reply(200, list_of("Job", [job("a")], token=token)),
                Reply(200, list_of("Job", [job("b")])),
            ]
            async with running(controller_of(api, tmp_path, limits=Limits(page_size=7))):
                pods = await api.wait_for("create pods", 2)
                watch = (await api.wait_for("watch jobs"))[0]
            first, second = api.of("list jobs")
        assert first.query == {"limit": "7"}
        assert second.query == {"limit": "7", "continue": token}
        assert sorted(json.loads(pod.body)["metadata"]["generateName"] for pod in pods) == ["a-", "b-"]
        assert watch.query == {"watch": "true", "allowWatchBookmarks": "true", "resourceVersion": "100"}

    @asynchronous
    async def test_are_of_these_namespaces_and_select_pods_of_jobs(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            async with running(controller_of(api, tmp_path, namespaces=["a", "b"])):
                await api.wait_for("watch jobs", 2)
                await api.wait_for("watch pods", 2)
        assert sorted(seen.path for seen in api.of("list jobs")) == [
            "/apis/batch/v1/namespaces/a/jobs",
            "/apis/batch/v1/namespaces/b/jobs",
        ]
        assert {seen.query["labelSelector"] for seen in api.of("list pods")} == {"batch.kubernetes.io/controller-uid"}

    @asynchronous
    async def test_with_manual_selectors_show_all_pods(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            async with running(controller_of(api, tmp_path, manual_selectors=True)):
                await api.wait_for("watch pods")
        assert "labelSelector" not in api.of("list pods")[0].query

    @asynchronous
    async def test_whose_next_page_is_gone_begin_anew_without_pages(self, tmp_path: Path, waits: list[float]) -> None:
        async with FakeApi().served() as api:
            api.script["list jobs"] = [
                Reply(200, list_of("Job", [job("a")], token="t")),
                Reply(410, status(410, "too old")),
                Reply(200, list_of("Job", [job("b")])),
            ]
            async with running(controller_of(api, tmp_path)):
                [pod] = await api.wait_for("create pods")
            assert api.of("list jobs")[2].query == {}
            assert json.loads(pod.body)["metadata"]["generateName"] == "b-"
            assert len(waits) == 1

    @asynchronous
    async def test_wait_longer_after_each_failure_and_as_long_as_the_server_asks(
        self, tmp_path: Path, waits: list[float], caplog: pytest.LogCaptureFixture
    ) -> None:
        async with FakeApi().served() as api:
            refused = Reply(500, status(500, "etcdserver: leader changed"))
            api.script["list jobs"] = [
                *[refused] * 8,
                Reply(429, status(429, "later"), {"retry-after": "70"}),
                Reply(503, b"<html>", {"retry-after": "999999"}),
                Reply(503, b"", {"retry-after": "Mon, 23 Nov 2026 00:00:00 GMT"}),
            ]
            async with running(controller_of(api, tmp_path, limits=Limits())):
                await api.wait_for("watch jobs")
        for i, wait_s in enumerate(waits[:8]):
            assert min(0.8 * 2**i, 30.0) <= wait_s <= min(1.6 * 2**i, 30.0)
        assert waits[8:] == [70.0, 300.0, 30.0]
        assert "list jobs.batch in all namespaces was answered 500: etcdserver: leader changed" in caplog.text

    @asynchronous
    async def test_that_are_too_long_are_given_up(
        self, tmp_path: Path, waits: list[float], caplog: pytest.LogCaptureFixture
    ) -> None:
        async with FakeApi().served() as api:
            api.script["list jobs"] = [Reply(200, b" " * 2000)]
            async with running(controller_of(api, tmp_path, limits=Limits(max_answer_bytes=1000))):
                await api.wait_for("watch jobs")
        assert "list jobs.batch in all namespaces got no answer: status 200 with more than 1000 bytes" in caplog.text

    @asynchronous
    async def test_that_are_never_answered_are_given_up(
        self, tmp_path: Path, waits: list[float], caplog: pytest.LogCaptureFixture
    ) -> None:
        async with FakeApi().served() as api:
            api.script["list jobs"] = [Silence()]
            async with running(controller_of(api, tmp_path, limits=Limits(request_timeout_s=0.2))):
                await api.wait_for("watch jobs")
        assert "list jobs.batch in all namespaces got no answer: no answer within 0.2 s" in caplog.text

    @asynchronous
    async def test_of_a_proxy_are_refused(
        self, tmp_path: Path, waits: list[float], caplog: pytest.LogCaptureFixture
    ) -> None:
        async with FakeApi().served() as api:
            api.script["list jobs"] = [Reply(200, b"<html>"), Reply(200, list_of("Pod", []))]
            async with running(controller_of(api, tmp_path)):
                await api.wait_for("watch jobs")
        assert len(waits) == 2
        assert "/apis/batch/v1/jobs: " in caplog.text


class TestWatches:
    @asynchronous
    async def test_that_say_410_in_an_event_list_again(self, tmp_path: Path, waits: list[float]) -> None:
        async with FakeApi().served() as api:
            controller = controller_of(api, tmp_path)
            async with running(controller):
                await api.wait_for("watch jobs")
                await api.wait_for("watch pods")
                assert controller.has_listed
                listed = list_of("Job", [])
                api.script["list jobs"] = [lambda _seen: Reply(200 if controller.has_listed else 500, listed)]
                api.pushed["watch jobs"].put_nowait(event("ERROR", status(410, "too old resource version")))
                await api.wait_for("watch jobs", 2)
            assert len(api.of("list jobs")) == 2
            assert len(waits) == 1

    @asynchronous
    async def test_that_are_answered_410_list_again(self, tmp_path: Path, waits: list[float]) -> None:
        async with FakeApi().served() as api:
            api.script["watch jobs"] = [Reply(410, status(410, "too old resource version"))]
            async with running(controller_of(api, tmp_path)):
                await api.wait_for("watch jobs", 2)
            assert len(api.of("list jobs")) == 2

    @pytest.mark.parametrize("end", ["ends", "breaks"])
    @asynchronous
    async def test_that_end_in_the_middle_of_a_line_go_on_behind_the_last_whole_one(
        self, tmp_path: Path, waits: list[float], end: str
    ) -> None:
        line = event("ADDED", job("b", 120))
        async with FakeApi().served() as api:
            # Chunks that are cut anywhere, two lines in one of them, and a half at the end.
            other = event("ADDED", job("d", 122))
            cut = [line[:20], line[20:] + event("ADDED", job("c", 121)) + other[:9], other[9:] + line[:5], line[5:9]]
            api.script["watch jobs"] = [Lines(cut, end=end), Lines([event("ADDED", job("e", 123))])]
            async with running(controller_of(api, tmp_path)):
                pods = await api.wait_for("create pods", 4)
            assert api.of("watch jobs")[1].query["resourceVersion"] == "122"
            assert len(api.of("list jobs")) == 1
        assert {json.loads(pod.body)["metadata"]["generateName"] for pod in pods} == {"b-", "c-", "d-", "e-"}
        assert len(waits) == (1 if end == "breaks" else 0)

    @asynchronous
    async def test_go_on_from_bookmarks(self, tmp_path: Path, waits: list[float]) -> None:
        async with FakeApi().served() as api:
            api.script["watch jobs"] = [Lines([bookmark("Job", 777)], end="ends")]
            async with running(controller_of(api, tmp_path)):
                await api.wait_for("watch jobs", 2)
            assert api.of("watch jobs")[1].query["resourceVersion"] == "777"
            assert waits == []

    @asynchronous
    async def test_that_end_at_once_without_progress_wait(
        self, tmp_path: Path, waits: list[float], caplog: pytest.LogCaptureFixture
    ) -> None:
        async with FakeApi().served() as api:
            api.script["watch jobs"] = [Lines([], end="ends")] * 3
            async with running(controller_of(api, tmp_path, limits=Limits())):
                await api.wait_for("watch jobs", 4)
        assert [0.8 * 2**i <= wait_s <= 1.6 * 2**i for i, wait_s in enumerate(waits)] == [True] * 3
        assert "the watch of /apis/batch/v1/jobs ended at once" in caplog.text

    @asynchronous
    async def test_with_progress_begin_anew_with_short_waits(self, tmp_path: Path, waits: list[float]) -> None:
        async with FakeApi().served() as api:
            failing = Reply(500, status(500, "no"))
            api.script["watch jobs"] = [*[failing] * 4, Lines([bookmark("Job", 130)], end="breaks"), failing]
            async with running(controller_of(api, tmp_path, limits=Limits(min_watch_s=60))):
                await api.wait_for("watch jobs", 7)
        assert [wait_s >= 0.8 * 2**i for i, wait_s in enumerate(waits[:4])] == [True] * 4
        assert waits[4] <= 1.6
        assert 1.6 <= waits[5] <= 3.2

    @asynchronous
    async def test_last_longer_than_other_requests(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            async with running(controller_of(api, tmp_path, limits=Limits(request_timeout_s=2))):
                await api.wait_for("watch jobs")
                await asyncio.sleep(2.5)
                api.pushed["watch jobs"].put_nowait(event("ADDED", job("a", 120)))
                await api.wait_for("create pods")
            assert len(api.of("watch jobs")) == 1

    @asynchronous
    async def test_lines_that_are_too_long_are_given_up(
        self, tmp_path: Path, waits: list[float], caplog: pytest.LogCaptureFixture
    ) -> None:
        async with FakeApi().served() as api:
            api.script["watch jobs"] = [Lines([b"x" * 600, b"x" * 600])]
            async with running(controller_of(api, tmp_path, limits=Limits(max_line_bytes=1000))):
                await api.wait_for("watch jobs", 2)
            assert len(api.of("list jobs")) == 1
        assert "a watch line of /apis/batch/v1/jobs is longer than 1000 bytes" in caplog.text

    @asynchronous
    async def test_that_say_nothing_are_dead(
        self, tmp_path: Path, waits: list[float], caplog: pytest.LogCaptureFixture
    ) -> None:
        async with FakeApi().served() as api:
            async with running(controller_of(api, tmp_path, limits=Limits(idle_timeout_s=0.1))):
                await api.wait_for("watch jobs", 2)
        assert "watch jobs.batch in all namespaces got no answer: nothing was heard for 0.1 s" in caplog.text

    @asynchronous
    async def test_end_when_the_engine_asks_for_a_list(
        self, tmp_path: Path, waits: list[float], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("stint.controller.controller.Engine", AskingEngine)
        async with FakeApi().served() as api:
            async with running(controller_of(api, tmp_path)):
                await api.wait_for("watch pods")
                await api.wait_for("watch jobs")
                AskingEngine.asks = True
                # Anything that makes the session poll.
                api.pushed["watch jobs"].put_nowait(bookmark("Job", 130))
                await api.wait_for("watch pods", 2)
            assert len(api.of("list pods")) == 2
            assert len(api.of("watch jobs")) == 1


class TestRequests:
    @asynchronous
    async def test_go_out_as_the_engine_wrote_them(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            async with running(controller_of(api, tmp_path)):
                [pod] = await api.wait_for("create pods")
                [patch] = (await api.wait_for("patch jobs/status"))[:1]
        assert pod.target == "/api/v1/namespaces/default/pods"
        assert pod.headers["content-type"] == "application/json"
        assert pod.headers["accept"] == "application/json"
        assert pod.headers["authorization"] == f"Bearer {TOKEN}"
        assert pod.headers["user-agent"] == f"stint/{__version__}"
        assert patch.target == "/apis/batch/v1/namespaces/default/jobs/a/status"

    @asynchronous
    async def test_are_so_many_at_once_and_no_more(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            api.jobs = [job(f"job-{i}") for i in range(20)]
            api.hold = asyncio.Event()
            limits = Limits(max_in_flight=4)
            async with running(controller_of(api, tmp_path, limits=limits)):
                await api.wait_for("create pods")
                while len(api.writes) < 4:
                    await asyncio.sleep(0.005)
                await asyncio.sleep(0.05)
                assert len(api.writes) == 4
                api.hold.set()
                await api.wait_for("create pods", 20)
        assert api.most_writes == 4

    @asynchronous
    async def test_that_fail_are_tried_again_by_the_engine_when_the_server_wants_it(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        decided: list[Decision] = []
        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            api.script["create pods"] = [
                Reply(500, status(500, "no")),
                Reply(429, status(429, "later"), {"retry-after": "1"}),
            ]
            controller = controller_of(api, tmp_path, constants=QUICK_CONSTANTS, on_decisions=decided.extend)
            async with running(controller):
                await api.wait_for("create pods", 3)
        assert [decision["numbers"]["status"] for decision in decided if decision["code"] == "CreateFailed"] == [
            500,
            429,
        ]
        [slow] = [decision["numbers"]["delayMs"] for decision in decided if decision["code"] == "Retry"][1:2]
        assert slow >= 900

    @asynchronous
    async def test_whose_answer_is_lost_count_as_unknown(self, tmp_path: Path) -> None:
        decided: list[Decision] = []
        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            api.script["create pods"] = [Lines([b"{"], end="breaks")]
            controller = controller_of(api, tmp_path, constants=QUICK_CONSTANTS, on_decisions=decided.extend)
            async with running(controller):
                # The engine looks which pods there are before it creates another.
                await api.wait_for("create pods", 2)
        assert "OutcomeUnknown" in [decision["code"] for decision in decided]
        assert len(api.of("list pods")) == 2

    @pytest.mark.parametrize(
        ("code", "advice"),
        [
            (401, "The server does not accept the credentials of {who}: renew them"),
            (403, "The credentials of {who} need a role with the verb create on pods in namespace default"),
        ],
    )
    @asynchronous
    async def test_that_are_refused_say_who_may_not_do_what(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, code: int, advice: str
    ) -> None:
        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            api.script["create pods"] = [Reply(code, status(code, "no\x1b[31m\nway"))] * 2
            async with running(controller_of(api, tmp_path, constants=QUICK_CONSTANTS)):
                await api.wait_for("create pods", 3)
        sentence = advice.format(who=f"context here of {tmp_path / 'kubeconfig'}")
        whole = f"create pods in namespace default was answered {code}: no [31m way. {sentence}"
        said = [record for record in caplog.records if record.getMessage() == whole]
        assert [record.levelname for record in said] == ["WARNING", "DEBUG"]
        assert TOKEN not in caplog.text

    @asynchronous
    async def test_read_the_credentials_again_after_a_401(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            controller = controller_of(api, tmp_path)
            path = tmp_path / "kubeconfig"
            path.write_text(path.read_text(encoding="utf-8").replace(TOKEN, "renewed"), encoding="utf-8")
            api.script["list jobs"] = [Reply(401, status(401, "Unauthorized"))]
            async with running(controller):
                await api.wait_for("watch jobs")
            sent = [seen.headers["authorization"] for seen in api.of("list jobs")]
        assert sent == [f"Bearer {TOKEN}", "Bearer renewed"]


    @asynchronous
    async def test_never_go_elsewhere_because_the_kubeconfig_does_now(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            controller = controller_of(api, tmp_path)
            path = tmp_path / "kubeconfig"
            content = path.read_text(encoding="utf-8").replace(TOKEN, "of-another-cluster")
            path.write_text(content.replace(api.url, "http://127.0.0.1:1"), encoding="utf-8")
            api.script["list jobs"] = [Reply(401, status(401, "Unauthorized"))]
            async with running(controller):
                await api.wait_for("watch jobs")
            sent = {seen.headers["authorization"] for seen in api.seen}
        assert sent == {f"Bearer {TOKEN}"}


class TestFence:
    @asynchronous
    async def test_that_is_closed_lets_nothing_begin(self, tmp_path: Path) -> None:
        is_open = False
        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            async with running(controller_of(api, tmp_path, fence=lambda: is_open)):
                await asyncio.sleep(0.05)
                assert api.seen == []
                is_open = True
                await api.wait_for("create pods")

    @asynchronous
    async def test_that_closes_ends_the_engine_and_opening_lists_anew(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        is_open = True
        async with FakeApi().served() as api:
            controller = controller_of(api, tmp_path, fence=lambda: is_open)
            async with running(controller):
                await api.wait_for("watch jobs")
                await api.wait_for("watch pods")
                first = controller.engine
                is_open = False
                api.pushed["watch jobs"].put_nowait(event("ADDED", job("a", 120)))
                api.jobs = [job("a", 120)]
                while "the fence has closed" not in caplog.text:
                    await asyncio.sleep(0.005)
                assert api.writes == []
                assert len(api.of("list jobs")) == 1
                is_open = True
                await api.wait_for("create pods")
            assert len(api.of("list jobs")) == 2
            assert controller.engine is not first

    @asynchronous
    async def test_is_asked_while_nothing_is_written(self, tmp_path: Path) -> None:
        is_open = True
        async with FakeApi().served() as api:
            controller = controller_of(api, tmp_path, fence=lambda: is_open)
            async with running(controller):
                await api.wait_for("watch jobs")
                first = controller.engine
                is_open = False
                # Nothing comes from the server: the engine that slept through it is given up all the same.
                await asyncio.sleep(0.1)
                is_open = True
                await api.wait_for("watch jobs", 2)
            assert controller.engine is not first

    @asynchronous
    async def test_that_raises_ends_the_controller(self, tmp_path: Path) -> None:
        def fence() -> bool:
            raise RuntimeError("the election is broken")

        async with FakeApi().served() as api:
            with pytest.raises(RuntimeError, match="the election is broken"):
                await controller_of(api, tmp_path, fence=fence).run()


class TestTraps:
    @asynchronous
    async def test_replace_the_engine_which_lists_anew(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr("stint.controller.controller.Engine", TrappingEngine)
        TrappingEngine.traps_left = 1
        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            async with running(controller_of(api, tmp_path)):
                await api.wait_for("create pods")
                await api.wait_for("create events")
            assert len(api.of("list jobs")) == 2
        assert "the engine stopped: " in caplog.text
        assert "; starting engine number 2" in caplog.text

    @asynchronous
    async def test_that_repeat_end_the_controller(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("stint.controller.controller.Engine", TrappingEngine)
        TrappingEngine.traps_left = 1000
        async with FakeApi().served() as api:
            with pytest.raises(EngineTrapError, match="the engine stopped: "):
                await controller_of(api, tmp_path).run()
            assert len(api.of("list jobs")) == 1 + FAST.max_engine_restarts
        assert TrappingEngine.traps_left == 1000 - 1 - FAST.max_engine_restarts


class TestCancelling:
    @asynchronous
    async def test_settles_what_is_under_way(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            api.hold = asyncio.Event()
            controller = controller_of(api, tmp_path)
            async with running(controller) as task:
                await api.wait_for("create pods")
                task.cancel()
                await asyncio.sleep(0.02)
                assert not task.done()
                assert controller.engine.metrics()["requestsUnderWay"] >= 1
                api.hold.set()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert controller.engine.metrics()["requestsUnderWay"] == 0
            # What it would do next is not begun.
            assert len(api.of("create pods")) == 1

    @asynchronous
    async def test_gives_up_what_takes_too_long(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            api.script["create pods"] = [Silence()]
            controller = controller_of(api, tmp_path, limits=Limits(grace_period_s=0.05))
            async with running(controller) as task:
                await api.wait_for("create pods")
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert controller.engine.metrics()["requestsUnderWay"] == 0
        assert "requests are still under way after 0.05 s, and are given up: " in caplog.text

    @asynchronous
    async def test_leaves_no_task(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            before = asyncio.all_tasks()
            async with running(controller_of(api, tmp_path)):
                await api.wait_for("watch pods")
            assert asyncio.all_tasks() - before - api.connections == set()

    @asynchronous
    async def test_a_controller_can_run_again(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            controller = controller_of(api, tmp_path)
            for count in (1, 2):
                async with running(controller):
                    await api.wait_for("watch pods", count)
                    await api.wait_for("watch jobs", count)
                    assert controller.has_listed
            assert len(api.of("list jobs")) == 2


class TestDecisions:
    @asynchronous
    async def test_are_told_and_logged_and_explained(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        decided: list[Decision] = []
        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            controller = controller_of(api, tmp_path, on_decisions=decided.extend)
            async with running(controller):
                await api.wait_for("patch jobs/status")
                assert controller.explain("default", "a")["found"] is True
        assert decided[0]["message"] == "creating 1 pod: 0 of 1 wanted active, 0 succeeded"
        assert f"default/a: {decided[0]['message']} (Creating)" in caplog.messages

    @asynchronous
    async def test_whose_callback_raises_end_the_controller(self, tmp_path: Path) -> None:
        def refuse(_decisions: list[Decision]) -> None:
            raise RuntimeError("a mistake of the caller")

        async with FakeApi().served() as api:
            api.jobs = [job("a")]
            with pytest.raises(RuntimeError, match="a mistake of the caller"):
                await controller_of(api, tmp_path, on_decisions=refuse).run()


class TestSettings:
    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"namespaces": "ci"}, "namespaces is the text 'ci'; allowed is a list of names: ['ci']"),
            ({"namespaces": ["a/b"]}, "namespaces has 'a/b'; allowed are names of namespaces: small letters,"),
            ({"namespaces": [f"n{i}" for i in range(17)]}, "namespaces has 17 names; allowed are 16, or none"),
            ({"managed_by": None, "finalizer": "a.b/c"}, "finalizer is 'a.b/c' and managed_by is None: "),
        ],
    )
    def test_that_are_wrong_are_refused(self, tmp_path: Path, settings: dict[str, Any], message: str) -> None:
        api = FakeApi()
        api.url = "http://127.0.0.1:1"
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            controller_of(api, tmp_path, **settings)
        assert str(caught.value).startswith(message)

    def test_that_the_engine_refuses_are_refused(self, tmp_path: Path) -> None:
        api = FakeApi()
        api.url = "http://127.0.0.1:1"
        with pytest.raises(EngineError, match="managedBy"):
            controller_of(api, tmp_path, managed_by="me")

    @pytest.mark.parametrize("name", ["max_in_flight", "request_timeout_s", "max_engine_restarts"])
    def test_limits_are_above_0(self, name: str) -> None:
        with pytest.raises(ValueError, match=f"{name} is -1; allowed is a number above 0"):
            Limits(**{name: -1})

    @asynchronous
    async def test_managed_by_runs_those_jobs_with_a_finalizer_of_its_own(self, tmp_path: Path) -> None:
        async with FakeApi().served() as api:
            api.jobs = [job("a"), job("b", managedBy="stint.dev/job-controller")]
            async with running(controller_of(api, tmp_path, managed_by="stint.dev/job-controller")):
                [pod] = await api.wait_for("create pods")
        made = json.loads(pod.body)["metadata"]
        assert (made["generateName"], made["finalizers"]) == ("b-", ["stint.dev/job-tracking"])


class AskingEngine(Engine):
    """Wants its pods listed again, once, during their watch."""

    asks = False

    def watch_version(self, source: int) -> int:
        return -1 if source == 1 and AskingEngine.asks else super().watch_version(source)

    def ingest(self, source: int, kind: IngestKind, data: bytes | str, now_ms: float) -> ErrorCode:
        if kind is IngestKind.LIST_BEGIN:
            AskingEngine.asks = False
        return super().ingest(source, kind, data, now_ms)


class TrappingEngine(Engine):
    """Traps when it has something to send, as long as there are traps left: its stack pointer points nowhere."""

    traps_left = 0

    def poll(self, now_ms: float, max_requests: int) -> PollResult:
        if TrappingEngine.traps_left > 0 and self.watch_version(0) >= 0:
            TrappingEngine.traps_left -= 1
            saved = self.save()
            broken = {name: b"\xf0\xff\xff\x7f" if len(value) == 4 else value for name, value in saved.globals.items()}
            self.restore(SavedEngine(saved.module_sha256, saved.memory, broken))
        return super().poll(now_ms, max_requests)
