"""Commands that make credentials: when they run, what input they get, how they fail; and nothing secret is shown."""

import asyncio
import base64
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from built_engine import engine_module
from fake_api import FAST, FakeApi, Reply, asynchronous, running
from stint.controller import Controller
from stint.controller.exec_credentials import Command, CommandError, Credential
from stint.controller.kubeconfig import load_access
from test_kubeconfig import AUTHORITY, SECRET, config, executed, server_tls, written

V1 = "client.authentication.k8s.io/v1"
LIMIT_S = 60.0
RUNS = "runs"
"""Next to the command: a line for each of its runs."""


def program(folder: Path, body: str, name: str = "get-token") -> Path:
    """An executable that notes that it runs, and then does this."""
    noted = f"open({str(folder / RUNS)!r}, 'a').write(os.environ['KUBERNETES_EXEC_INFO'] + chr(10))"
    path = written(folder, f"#!{sys.executable}\nimport json, os, sys, time\n{noted}\n{body}\n", name)
    path.chmod(0o700)
    return path


def answer(**status: object) -> dict[str, Any]:
    return {"apiVersion": V1, "kind": "ExecCredential", "status": status}


def printing(what: object) -> str:
    return f"print({json.dumps(what)!r})"


def runs(folder: Path) -> list[dict[str, Any]]:
    path = folder / RUNS
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def command(path: Path, *arguments: str, hint: str = "") -> Command:
    return Command((str(path), *arguments), {}, V1, hint, None)


class TestCommands:
    @asynchronous
    async def test_make_a_token_that_ends(self, tmp_path: Path) -> None:
        path = program(tmp_path, printing(answer(token=SECRET, expirationTimestamp="2026-01-01T00:00:00Z")))
        made = await command(path).run(LIMIT_S)
        end_s = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
        assert made == Credential(SECRET, None, None, end_s)
        assert (made.is_fresh(end_s - 11), made.is_fresh(end_s - 10), made.is_fresh(end_s)) == (True, False, False)
        assert SECRET not in repr(made)
        assert runs(tmp_path) == [{"apiVersion": V1, "kind": "ExecCredential", "spec": {"interactive": False}}]

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            (f"print('{SECRET}')", "{path} has printed something that is not JSON; allowed is an ExecCredential"),
            (f"print('\"{SECRET}\"')", "{path} has printed no ExecCredential of client.authentication.k8s.io/v1, as"),
            (printing({**answer(token=SECRET), "apiVersion": "v2"}), "{path} has printed no ExecCredential of client"),
            (printing(answer()), "{path} has printed neither a token nor a certificate with its key; allowed is"),
            (printing(answer(token=SECRET, clientCertificateData="x")), "neither a token nor a certificate with its"),
            (printing(answer(token=SECRET, expirationTimestamp="soon")), "{path} has printed an expirationTimestamp"),
            (f"print('{SECRET}'); sys.exit(3)", "{path} ended with 3"),
            ("print('sign in first\\nmore', file=sys.stderr); sys.exit(1)", "{path} ended with 1: sign in first"),
            (f"print('no {SECRET * 6}', file=sys.stderr); sys.exit(1)", "{path} ended with 1: no …"),
            ("os.kill(os.getpid(), 15)", "{path} was ended by signal 15"),
            ("print('x' * 2_000_000)", "{path} has printed more than 1048576 bytes, and was killed"),
            ("while True: print('x' * 60_000, file=sys.stderr)", "{path} has printed more than 1048576 bytes, and was"),
        ],
    )
    @asynchronous
    async def test_that_fail_are_named_and_show_no_secret(self, tmp_path: Path, body: str, message: str) -> None:
        path = program(tmp_path, body)
        with pytest.raises(CommandError) as caught:
            await command(path, f"--secret={SECRET}").run(LIMIT_S)
        assert message.format(path=path) in str(caught.value)
        assert SECRET not in str(caught.value)

    @asynchronous
    async def test_that_are_not_there_say_how_to_get_them(self, tmp_path: Path) -> None:
        with pytest.raises(CommandError, match="there is no command .*/none; brew install none"):
            await command(tmp_path / "none", hint="brew install none\nand more").run(LIMIT_S)
        with pytest.raises(CommandError, match="/file cannot be run: Permission denied"):
            await command(written(tmp_path, "", "file")).run(LIMIT_S)

    @asynchronous
    async def test_that_hang_are_ended_with_what_they_have_started(self, tmp_path: Path) -> None:
        child = tmp_path / "child"
        body = f"""
import subprocess
started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])  # It holds the pipes, too.
open({str(child)!r}, "w").write(str(started.pid))
time.sleep(600)"""
        with pytest.raises(CommandError, match=r"get-token did not end within 3 s, and was killed"):
            await command(program(tmp_path, body)).run(3.0)
        pid = int(child.read_text())
        while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
            await asyncio.sleep(0.01)


class TestKubeconfigs:
    @asynchronous
    async def test_say_what_is_run_and_what_it_is_told(self, tmp_path: Path) -> None:
        tells = f"print(sys.argv[1:], os.environ['A'], file=open({str(tmp_path / 'told')!r}, 'w'))"
        program(tmp_path / "bin", f"{printing(answer(token='t'))}; {tells}")
        extensions = [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a"}}]
        fields = {"command": "bin/get-token", "args": ["--region", "x"], "env": [{"name": "A", "value": "b"}]}
        user = executed(**fields, provideClusterInfo=True, interactiveMode="IfAvailable")
        access = load_access(written(tmp_path, config({"extensions": extensions}, user)))
        assert runs(tmp_path / "bin") == []
        assert access.command is not None
        made = await access.command.run(LIMIT_S)
        assert access.with_credential(made).authorization() == {"authorization": "Bearer t"}
        [told] = runs(tmp_path / "bin")
        assert told["spec"]["cluster"] == {"server": "https://10.0.0.1:6443", "config": {"audience": "a"}}
        assert (tmp_path / "told").read_text() == "['--region', 'x'] b\n"

    def test_a_name_without_a_slash_is_looked_for_in_the_path(self, tmp_path: Path) -> None:
        access = load_access(written(tmp_path, config(user=executed())))
        assert access.command is not None
        assert access.command.name == "a-command"

    def test_a_token_in_the_file_comes_first(self, tmp_path: Path) -> None:
        access = load_access(written(tmp_path, config(user={**executed(), "token": "t"})))
        assert (access.command, access.authorization()) == (None, {"authorization": "Bearer t"})

    def test_a_user_of_another_context_runs_nothing(self, tmp_path: Path) -> None:
        content = config()
        content["users"].append({"name": "other", "user": {"exec": {"command": "a-command"}}})
        assert load_access(written(tmp_path, content)).command is None


class TestControllers:
    @asynchronous
    async def test_run_the_command_once_for_all_requests(self, tmp_path: Path) -> None:
        path = program(tmp_path, printing(answer(token=SECRET)))
        async with FakeApi().served() as api:
            async with running(controller(tmp_path, api, path)):
                await api.wait_for("watch jobs")
                await api.wait_for("watch pods")
            assert {seen.headers["authorization"] for seen in api.seen} == {f"Bearer {SECRET}"}
        assert len(runs(tmp_path)) == 1

    @asynchronous
    async def test_run_it_again_when_what_it_made_has_ended(self, tmp_path: Path) -> None:
        ends = (datetime.now(UTC) + timedelta(seconds=5)).isoformat()
        path = program(tmp_path, printing(answer(token="short", expirationTimestamp=ends)))
        async with FakeApi().served() as api, running(controller(tmp_path, api, path)):
            await api.wait_for("watch jobs")
            await api.wait_for("watch pods")
            assert len(runs(tmp_path)) >= 2

    @asynchronous
    async def test_run_it_again_when_the_server_refuses(self, tmp_path: Path) -> None:
        body = f"n = len(open({str(tmp_path / RUNS)!r}).readlines()); print(json.dumps({answer()!r} | " + (
            "{'status': {'token': f't{n}'}}))"
        )
        async with FakeApi().served() as api:
            api.script["list jobs"] = [Reply(401)]
            async with running(controller(tmp_path, api, program(tmp_path, body))):
                await api.wait_for("watch jobs")
            assert [seen.headers["authorization"] for seen in api.of("list jobs")] == ["Bearer t1", "Bearer t2"]

    @asynchronous
    async def test_go_on_when_it_fails_and_say_so(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        body = f"n = len(open({str(tmp_path / RUNS)!r}).readlines())\nif n == 1: sys.exit('sign in first')\n"
        path = program(tmp_path, body + printing(answer(token=SECRET)))
        async with FakeApi().served() as api, running(controller(tmp_path, api, path)):
            await api.wait_for("watch jobs")
        assert f"{path} ended with 1: sign in first" in caplog.text
        assert SECRET not in caplog.text

    @asynchronous
    async def test_show_the_certificate_that_it_made(self, tmp_path: Path) -> None:
        own = AUTHORITY.issue_cert("client@example.com")
        certificate, key = own.cert_chain_pems[0].bytes().decode(), own.private_key_pem.bytes().decode()
        path = program(tmp_path, printing(answer(clientCertificateData=certificate, clientKeyData=key)))
        async with FakeApi().served(server_tls(wants_client=True)) as api:
            authority = base64.b64encode(AUTHORITY.cert_pem.bytes()).decode()
            async with running(controller(tmp_path, api, path, {"certificate-authority-data": authority})):
                await api.wait_for("watch jobs")

    @asynchronous
    async def test_end_a_command_that_runs_when_they_end(self, tmp_path: Path) -> None:
        path = program(tmp_path, "time.sleep(600)")
        async with FakeApi().served() as api, running(controller(tmp_path, api, path)):
            while not runs(tmp_path):
                await asyncio.sleep(0.01)
        assert [pid for pid in os.listdir("/proc") if pid.isdigit() and str(path) in _command_line(pid)] == []


def _command_line(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def controller(folder: Path, api: FakeApi, path: Path, cluster: dict[str, Any] | None = None) -> Controller:
    server = {"server": api.url, **({} if cluster else {"insecure-skip-tls-verify": True}), **(cluster or {})}
    kubeconfig = written(folder, config(server, executed(command=str(path))))
    return Controller(kubeconfig=kubeconfig, limits=FAST, module=engine_module())
