"""Kubeconfigs: what is found, merged and refused; and that TLS checks who is who, on both sides."""

import asyncio
import base64
import json
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trustme

from built_engine import engine_module
from fake_api import FAST, FakeApi, asynchronous, running
from stint.controller import Controller, KubeconfigError
from stint.controller.kubeconfig import load_access

SECRET = "s3cr3t"
AUTHORITY = trustme.CA()
PEM = AUTHORITY.cert_pem.bytes().decode()


def config(cluster: dict[str, Any] | None = None, user: dict[str, Any] | None = None) -> dict[str, Any]:
    server = {"server": "https://10.0.0.1:6443"}
    return {
        "clusters": [{"name": "c", "cluster": {**server, **(cluster or {})}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "ci"}}],
        "current-context": "here",
    }


def executed(**fields: object) -> dict[str, Any]:
    """A user whose credentials a command makes."""
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "a-command", **fields}}


def written(folder: Path, content: object, name: str = "config") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


class TestFinding:
    def test_a_named_file_comes_before_all_else(self, tmp_path: Path) -> None:
        path = written(tmp_path, config())
        access = load_access(path, environment={"KUBECONFIG": "/none"})
        assert (access.origin, access.base_path, access.namespace) == ("https://10.0.0.1:6443", "", "ci")
        assert access.description == f"context here of {path}"

    def test_environment_merges_files_and_skips_missing_ones(self, tmp_path: Path) -> None:
        users = [{"name": "u", "user": {"token": "first"}}]
        first = written(tmp_path, {"current-context": "here", "users": users}, "1")
        second = written(tmp_path, config(user={"token": "second"}), "2")
        access = load_access(environment={"KUBECONFIG": f"{tmp_path}/none:{first}:{second}"})
        assert access.authorization() == {"authorization": "Bearer first"}

    def test_home_comes_next(self, tmp_path: Path) -> None:
        written(tmp_path, config(), ".kube/config")
        assert load_access(environment={"HOME": str(tmp_path)}).origin == "https://10.0.0.1:6443"

    def test_then_the_service_account_of_the_pod(self, tmp_path: Path) -> None:
        for name, content in (("token", "t1\n"), ("ca.crt", PEM), ("namespace", "ci")):
            written(tmp_path, content, name)
        environment = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "6443", "HOME": "/none"}
        access = load_access(environment=environment, service_account=tmp_path)
        assert (access.origin, access.namespace) == ("https://[fd00::1]:6443", "ci")
        assert access.authorization() == {"authorization": "Bearer t1"}
        # Kubernetes renews the file.
        written(tmp_path, "t2", "token")
        assert access.authorization() == {"authorization": "Bearer t2"}

    def test_else_says_what_is_missing(self, tmp_path: Path) -> None:
        with pytest.raises(KubeconfigError, match="there is no kubeconfig and no service account of a pod"):
            load_access(environment={}, service_account=tmp_path)


class TestUsers:
    def test_without_credentials(self, tmp_path: Path) -> None:
        content = config()
        del content["contexts"][0]["context"]["user"]
        assert load_access(written(tmp_path, content)).authorization() == {}

    def test_token_files_are_relative_to_the_kubeconfig_and_come_before_tokens(self, tmp_path: Path) -> None:
        written(tmp_path, " from-file \n", "sub/token")
        path = written(tmp_path, config(user={"token": "other", "tokenFile": "sub/token"}))
        assert load_access(path).authorization() == {"authorization": "Bearer from-file"}

    def test_passwords_and_impersonation(self, tmp_path: Path) -> None:
        path = written(tmp_path, config(user={"username": "me", "password": "x", "as": "other"}))
        assert load_access(path).authorization() == {
            "authorization": f"Basic {base64.b64encode(b'me:x').decode()}",
            "impersonate-user": "other",
        }

    def test_servers_behind_a_path(self, tmp_path: Path) -> None:
        access = load_access(written(tmp_path, config({"server": "https://gate.example/k8s/clusters/x/"})))
        assert (access.origin, access.base_path) == ("https://gate.example", "/k8s/clusters/x")


class TestRefusals:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("a: b: " + SECRET, "line 1 is not YAML"),
            ("- " + SECRET, "is no kubeconfig; allowed is YAML with clusters, users and contexts"),
            ({**config(), "users": SECRET}, "users of {file} is not a list"),
            ({**config(), "users": [{"user": {"token": SECRET}}]}, "users[0] of {file} has no name"),
            ({**config(), "current-context": ""}, "has no current-context; name one with context="),
            ({**config(), "current-context": "b"}, "the context is 'b'; {file} has here"),
            ({**config(), "users": []}, "the user of context here of {file} is 'u'; {file} has none"),
            ({**config(), "clusters": []}, "the cluster of context here of {file} is 'c'; {file} has none"),
            (config({"server": f"ftp://{SECRET}@x"}), "the server of context here of {file} is no URL"),
            (config({"server": "https://x:port"}), "the server of context here of {file} is no URL"),
            (config({"server": "http://x"}), "begins with http://, where everybody in between can read"),
            (config({"proxy-url": f"socks5://{SECRET}@x"}), "the proxy-url of context here of {file} is no HTTP proxy"),
            (config(user={"auth-provider": {"name": SECRET}}), "has auth-provider, which is not supported; allowed"),
            (config(user={"exec": {"args": [SECRET]}}), "exec of the user of context here of {file} has no command"),
            (config(user={"exec": {"command": SECRET}}), "the apiVersion of exec of context here of {file} is None"),
            (config(user=executed(interactiveMode="Always")), "needs a terminal (interactiveMode: Always)"),
            (config(user=executed(args=SECRET)), "args of exec of context here of {file} is no list of texts"),
            (config(user=executed(env=[{"value": SECRET}])), "env of exec of context here of {file} is no list"),
            (config(user={"as-groups": ["x"]}), "has as-groups, which is not supported"),
            (config(user={"token": f"{SECRET}\nx"}), "the token of context here of {file} has characters that no"),
            (config({"certificate-authority-data": "%%%"}), "the certificate authority of context here of {file} is"),
            (config({"certificate-authority": "none.pem"}), "none.pem cannot be read: No such file"),
            (config({"certificate-authority-data": "LS0tLS1CRUdJTiBYLS0tLS0="}), "certificates of context here of"),
            (config(user={"client-certificate-data": SECRET}), "has a client certificate without a key"),
            (config(user={"client-certificate-data": SECRET, "client-key": "x"}), "client-certificate-data of context"),
            (config(user={"client-certificate-data": "AAAA", "client-key-data": "AAAA"}), "certificates of context"),
        ],
    )
    def test_say_what_and_where_and_show_no_secret(self, tmp_path: Path, content: object, message: str) -> None:
        path = written(tmp_path, content)
        with pytest.raises(KubeconfigError) as caught:
            load_access(path).authorization()
        assert message.format(file=path) in str(caught.value)
        assert SECRET not in str(caught.value)
        assert SECRET not in repr(caught.value)

    def test_of_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(KubeconfigError, match="none cannot be read: No such file or directory. Name one with kube"):
            load_access(tmp_path / "none")

    def test_nothing_that_is_shown_has_the_token(self, tmp_path: Path) -> None:
        assert SECRET not in repr(load_access(written(tmp_path, config(user={"token": SECRET}))))


class TestTls:
    """A server with a certificate of an authority that the kubeconfig names, and that wants one of its clients."""

    @pytest.mark.parametrize("as_data", [True, False])
    @asynchronous
    async def test_both_sides_are_checked(self, tmp_path: Path, as_data: bool) -> None:
        client = AUTHORITY.issue_cert("client@example.com")
        parts = {"certificate-authority": AUTHORITY.cert_pem.bytes()}
        own = {
            "client-certificate": client.cert_chain_pems[0].bytes(),
            "client-key": client.private_key_pem.bytes(),
        }
        async with FakeApi().served(server_tls(wants_client=True)) as api:
            cluster = {"server": api.url, **as_fields(parts, tmp_path, as_data)}
            path = written(tmp_path, config(cluster, as_fields(own, tmp_path, as_data)))
            async with running(Controller(kubeconfig=path, limits=FAST, module=engine_module())):
                await api.wait_for("watch jobs")

    @asynchronous
    async def test_a_server_of_another_authority_is_not_talked_to(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        other = {"certificate-authority": trustme.CA().cert_pem.bytes()}
        async with FakeApi().served(server_tls()) as api:
            cluster = {"server": api.url, **as_fields(other, tmp_path, True)}
            path = written(tmp_path, config(cluster, {"token": SECRET}))
            async with running(Controller(kubeconfig=path, limits=FAST, module=engine_module())):
                while "CERTIFICATE_VERIFY_FAILED" not in caplog.text:
                    await asyncio.sleep(0.005)
            assert api.seen == []
        assert SECRET not in caplog.text

    @asynchronous
    async def test_a_server_of_another_name_needs_tls_server_name(self, tmp_path: Path) -> None:
        parts = {"certificate-authority": AUTHORITY.cert_pem.bytes()}
        async with FakeApi().served(server_tls("kubernetes.example")) as api:
            fields = {"server": api.url, "tls-server-name": "kubernetes.example", **as_fields(parts, tmp_path, True)}
            path = written(tmp_path, config(fields))
            async with running(Controller(kubeconfig=path, limits=FAST, module=engine_module())):
                await api.wait_for("watch jobs")

    @asynchronous
    async def test_a_server_is_believed_when_the_kubeconfig_says_so(self, tmp_path: Path) -> None:
        async with FakeApi().served(server_tls("kubernetes.example")) as api:
            path = written(tmp_path, config({"server": api.url, "insecure-skip-tls-verify": True}))
            async with running(Controller(kubeconfig=path, limits=FAST, module=engine_module())):
                await api.wait_for("watch jobs")


class TestProxy:
    @asynchronous
    async def test_is_used_and_sees_no_credential(self, tmp_path: Path) -> None:
        passed: list[bytes] = []

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n\r\n")
            host, port = head.split(b" ")[1].decode().split(":")
            there, back = await asyncio.open_connection(host, int(port))
            writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
            passed.append(head)
            await asyncio.gather(copied(reader, back, passed), copied(there, writer, []))

        proxy = await asyncio.start_server(connected, "127.0.0.1", 0)
        proxy_port = proxy.sockets[0].getsockname()[1]
        async with FakeApi().served(server_tls()) as api:
            fields = {"server": api.url, "proxy-url": f"http://127.0.0.1:{proxy_port}"}
            fields |= as_fields({"certificate-authority": AUTHORITY.cert_pem.bytes()}, tmp_path, True)
            path = written(tmp_path, config(fields, {"token": SECRET}))
            async with running(Controller(kubeconfig=path, limits=FAST, module=engine_module())):
                [seen] = await api.wait_for("watch jobs")
            assert seen.headers["authorization"] == f"Bearer {SECRET}"
        proxy.close()
        assert passed[0].startswith(b"CONNECT 127.0.0.1:")
        assert SECRET.encode() not in b"".join(passed)


async def copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: list[bytes]) -> None:
    with suppress(ConnectionError):
        while part := await reader.read(65536):
            kept.append(part)
            writer.write(part)
            await writer.drain()
    writer.close()


def server_tls(name: str = "127.0.0.1", *, wants_client: bool = False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert(name).configure_cert(context)
    if wants_client:
        AUTHORITY.configure_trust(context)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def as_fields(parts: dict[str, bytes], folder: Path, as_data: bool) -> dict[str, str]:
    """Fields of a kubeconfig: in base64, or as files beside it."""
    if as_data:
        return {f"{name}-data": base64.b64encode(pem).decode() for name, pem in parts.items()}
    return {name: written(folder, pem.decode(), f"{name}.pem").name for name, pem in parts.items()}
