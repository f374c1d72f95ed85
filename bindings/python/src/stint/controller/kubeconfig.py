"""How to reach an API server and authenticate there, from kubeconfigs as kubectl finds and merges them, or from the
service account of a pod.

Invariant: no error quotes anything of a file but names of contexts, clusters and users, because the rest may be secret.
No command is run here: `exec` is read, and the transport runs it when there is a request to send. Auth providers and
proxies other than HTTP are refused.
"""

import base64
import binascii
import os
import re
import ssl
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import yaml

from stint.controller.exec_credentials import Command, CommandError, Credential, command_of
from stint.errors import StintError

SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where Kubernetes puts the credentials of a pod."""
_MAX_FILE_BYTES: Final = 8 * 1024 * 1024
_WHERE: Final = "Name one with kubeconfig= or in $KUBECONFIG; inside a pod its service account is used"
_UNSUPPORTED: Final = ("auth-provider", "as-groups", "as-uid", "as-user-extra")
_HEADER_VALUE: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")

_Fields = dict[str, Any]


class KubeconfigError(StintError):
    """There are no credentials, or they cannot be used: which, why, and what is allowed."""


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach one API server."""

    origin: str
    """`https://10.0.0.1:6443`."""
    base_path: str
    """Prefix of every path: empty, or `/k8s/clusters/x` for a server behind a gateway."""
    namespace: str | None
    """Of the context, or of the pod."""
    description: str
    """Names the file and the context, or the service account, as a part of a sentence."""
    tls: ssl.SSLContext = field(repr=False)
    server_name: str | None
    """What the certificate of the server must be for, if that is not the host."""
    proxy: str | None = field(repr=False)
    token: str | None = field(repr=False)
    token_file: Path | None
    headers: Mapping[str, str] = field(repr=False)
    command: Command | None = field(default=None, repr=False)
    """What makes the credentials, if they are not here."""
    make_tls: Callable[[_Fields], ssl.SSLContext] | None = field(default=None, repr=False)
    """With a command: what the same cluster is spoken to with for another client certificate."""

    @property
    def way(self) -> tuple[str, str, str | None]:
        """Where requests go. Credentials for another way must not be sent over this one."""
        return (self.origin, self.base_path, self.proxy)

    def with_credential(self, credential: Credential) -> "Access":
        """This access with what its command has made. Raises KubeconfigError where that is no certificate."""
        if credential.certificate is None:
            return replace(self, token=credential.token)
        data = {"client-certificate-data": credential.certificate, "client-key-data": credential.key or ""}
        encoded = {name: base64.b64encode(pem.encode()).decode() for name, pem in data.items()}
        tls = self.make_tls(encoded) if self.make_tls is not None else self.tls
        return replace(self, token=credential.token, tls=tls)

    def authorization(self) -> dict[str, str]:
        """The headers that authenticate a request. Reads the token file. Raises KubeconfigError."""
        token = self.token
        if self.token_file is not None:
            token = _text_of(self.token_file).strip()
        if token is None:
            return dict(self.headers)
        return {**self.headers, "authorization": _header(f"Bearer {token}", f"the token of {self.description}")}


def load_access(
    kubeconfig: str | os.PathLike[str] | None = None,
    context: str | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    service_account: Path = SERVICE_ACCOUNT,
) -> Access:
    """The credentials of a file and one of its contexts; without a file those that kubectl would take, else those of
    the pod. Raises KubeconfigError.
    """
    environment = os.environ if environment is None else environment
    if kubeconfig is not None:
        return _access_of([Path(kubeconfig)], context)
    listed = [Path(path) for path in environment.get("KUBECONFIG", "").split(os.pathsep) if path]
    if listed:
        # As in kubectl, a missing file is skipped if there is another one.
        return _access_of([path for path in listed if path.exists()] or listed, context)
    if home := environment.get("HOME"):
        own = Path(home, ".kube", "config")
        if own.exists():
            return _access_of([own], context)
    host = environment.get("KUBERNETES_SERVICE_HOST")
    if host and (service_account / "token").exists():
        return _access_of_pod(host, environment.get("KUBERNETES_SERVICE_PORT", "443"), service_account)
    raise KubeconfigError(
        f"there is no kubeconfig and no service account of a pod: nothing says where the API server is. {_WHERE}"
    )


def _access_of_pod(host: str, port: str, folder: Path) -> Access:
    namespace = folder / "namespace"
    tls = _tls_context(folder, {"certificate-authority": "ca.crt"}, {}, "the service account of this pod")
    return Access(
        origin=f"https://{f'[{host}]' if ':' in host else host}:{port}",
        base_path="",
        namespace=_text_of(namespace).strip() if namespace.exists() else None,
        description="the service account of this pod",
        tls=tls,
        server_name=None,
        proxy=None,
        token=None,
        token_file=folder / "token",
        headers={},
    )


def _access_of(paths: list[Path], context: str | None) -> Access:
    name = os.pathsep.join(str(path) for path in paths)
    files = [(path.absolute().parent, _read(path)) for path in paths]
    if context is None:
        context = next((str(found) for _, file in files if (found := file.get("current-context"))), None)
        if context is None:
            raise KubeconfigError(f"{name} has no current-context; name one with context=, or set it in the file")
    contexts = _entries(files, "contexts", "context", name)
    if context not in contexts:
        known = ", ".join(contexts) or "none"
        raise KubeconfigError(f"the context is {context!r}; {name} has {known}")
    _, chosen = contexts[context]
    what = f"context {context} of {name}"
    cluster_folder, cluster = _named(files, "clusters", "cluster", chosen.get("cluster"), name, what)
    anonymous: tuple[Path, _Fields] = (Path(), {})
    named = chosen.get("user")
    user_folder, user = _named(files, "users", "user", named, name, what) if named else anonymous
    for unsupported in _UNSUPPORTED:
        if user.get(unsupported):
            raise KubeconfigError(
                f"the user of {what} has {unsupported}, which is not supported; allowed are token, tokenFile, a client "
                "certificate, username and password, exec, and as"
            )
    origin, base_path = _server_of(cluster, what)
    token_file = user.get("tokenFile")
    proxy = cluster.get("proxy-url")
    if proxy and not re.match(r"https?://", str(proxy)):
        raise KubeconfigError(f"the proxy-url of {what} is no HTTP proxy; allowed are http://… and https://…")
    return Access(
        origin=origin,
        base_path=base_path,
        namespace=chosen.get("namespace"),
        description=what,
        tls=_tls_context(cluster_folder, cluster, _with_folder(user_folder, user), what),
        server_name=cluster.get("tls-server-name"),
        proxy=str(proxy) if proxy else None,
        token=str(user["token"]).strip() if user.get("token") else None,
        # If both are given, the file is used, as in kubectl.
        token_file=user_folder / str(token_file) if token_file else None,
        headers=_headers_of(user, what),
        command=_command_of(user_folder, user, cluster, what),
        make_tls=(lambda made: _tls_context(cluster_folder, cluster, made, what)) if user.get("exec") else None,
    )


def _command_of(folder: Path, user: _Fields, cluster: _Fields, what: str) -> Command | None:
    """As in kubectl, a token in the file takes precedence."""
    if not user.get("exec") or user.get("token") or user.get("tokenFile"):
        return None
    try:
        return command_of(user["exec"], folder, cluster, what)
    except CommandError as error:
        raise KubeconfigError(str(error)) from None


def _with_folder(folder: Path, user: _Fields) -> _Fields:
    """Paths of a user are relative to the file that has the user."""
    files = {name: str(folder / str(user[name])) for name in ("client-certificate", "client-key") if user.get(name)}
    return {**user, **files}


def _headers_of(user: _Fields, what: str) -> dict[str, str]:
    headers = {}
    if user.get("username"):
        pair = f"{user['username']}:{user.get('password') or ''}".encode()
        headers["authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    if user.get("as"):
        headers["impersonate-user"] = _header(str(user["as"]), f"as of {what}")
    return headers


def _header(value: str, what: str) -> str:
    if not _HEADER_VALUE.fullmatch(value):
        raise KubeconfigError(f"{what} has characters that no header may hold; allowed are those of ASCII, on one line")
    return value


def _server_of(cluster: _Fields, what: str) -> tuple[str, str]:
    try:
        url = urlsplit(str(cluster.get("server") or ""))
        port = f":{url.port}" if url.port else ""
    except ValueError:
        raise KubeconfigError(f"the server of {what} is no URL; allowed is one that begins with https://") from None
    if url.scheme not in ("http", "https") or not url.hostname:
        raise KubeconfigError(f"the server of {what} is no URL; allowed is one that begins with https://")
    if url.scheme == "http" and not cluster.get("insecure-skip-tls-verify"):
        raise KubeconfigError(
            f"the server of {what} begins with http://, where everybody in between can read the credentials; "
            "allowed is https://, or http:// and insecure-skip-tls-verify: true"
        )
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return f"{url.scheme}://{host}{port}", url.path.rstrip("/")


def _tls_context(folder: Path, cluster: _Fields, user: _Fields, what: str) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=None, cadata=_authority_of(folder, cluster, what))
        # Since Python 3.13 this is on, and refuses the authorities of many clusters, which lack an extension.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if cluster.get("insecure-skip-tls-verify"):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        _load_client_certificate(context, user, what)
    except ssl.SSLError as error:
        raise KubeconfigError(
            f"certificates of {what} cannot be read ({error.reason or 'no certificate'}); allowed are PEM files, "
            "and PEM in base64 where the name of the field ends in -data"
        ) from None
    return context


def _authority_of(folder: Path, cluster: _Fields, what: str) -> str | None:
    """PEM, or None: the authorities of the machine."""
    if cluster.get("certificate-authority-data"):
        pem = _decoded(cluster["certificate-authority-data"], "certificate-authority-data", what)
    elif cluster.get("certificate-authority"):
        pem = _text_of(folder / str(cluster["certificate-authority"])).encode()
    else:
        return None
    # Text between the certificates may be in any language.
    text = pem.decode("ascii", errors="ignore")
    if "-----BEGIN" not in text:
        raise KubeconfigError(f"the certificate authority of {what} is not PEM")
    return text


def _load_client_certificate(context: ssl.SSLContext, user: _Fields, what: str) -> None:
    """Python reads certificates and keys from files alone: data is in a file of this user for that moment."""
    if not any(user.get(name) for name in ("client-certificate", "client-certificate-data")):
        return
    if not any(user.get(name) for name in ("client-key", "client-key-data")):
        raise KubeconfigError(f"the user of {what} has a client certificate without a key; client-key is missing")
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = (Path(folder, name) for name in ("client-certificate", "client-key"))
        for path in (certificate, key):
            if user.get(f"{path.name}-data"):
                path.write_bytes(_decoded(user[f"{path.name}-data"], f"{path.name}-data", what))
            else:
                path.write_text(_text_of(Path(str(user[path.name]))), encoding="utf-8")
        # Without this, a key with a passphrase would ask for it at the terminal.
        context.load_cert_chain(certificate, key, password=lambda: "")


def _decoded(value: object, name: str, what: str) -> bytes:
    try:
        return base64.b64decode(str(value), validate=False)
    except (binascii.Error, ValueError):
        raise KubeconfigError(f"{name} of {what} is not base64") from None


def _text_of(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise KubeconfigError(f"{path} is larger than {_MAX_FILE_BYTES} bytes, which is the most that is read")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise KubeconfigError(f"{path} cannot be read: {error.strerror}. {_WHERE}") from None
    except UnicodeDecodeError:
        raise KubeconfigError(f"{path} is not UTF-8") from None


def _read(path: Path) -> _Fields:
    text = _text_of(path)
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        # The message of the parser may quote the file, so only the line is named.
        mark = getattr(error, "problem_mark", None)
        line = "it" if mark is None else f"line {mark.line + 1}"
        raise KubeconfigError(f"the kubeconfig {path} cannot be used: {line} is not YAML") from None
    except (ValueError, RecursionError):
        raise KubeconfigError(f"the kubeconfig {path} cannot be used: it is not YAML") from None
    if not isinstance(content, dict):
        raise KubeconfigError(f"{path} is no kubeconfig; allowed is YAML with clusters, users and contexts")
    return content


def _entries(files: list[tuple[Path, _Fields]], kind: str, key: str, name: str) -> dict[str, tuple[Path, _Fields]]:
    """What a list of all files has, by name: the first file that has a name wins."""
    found: dict[str, tuple[Path, _Fields]] = {}
    for folder, file in files:
        listed = file.get(kind) or []
        if not isinstance(listed, list):
            raise KubeconfigError(f"{kind} of {name} is not a list")
        for i, entry in enumerate(listed):
            fields = entry.get(key) or {} if isinstance(entry, dict) else None
            if not isinstance(fields, dict) or not entry.get("name"):
                raise KubeconfigError(f"{kind}[{i}] of {name} has no name, or its {key} is not a list of fields")
            found.setdefault(str(entry["name"]), (folder, fields))
    return found


def _named(
    files: list[tuple[Path, _Fields]], kind: str, key: str, wanted: object, name: str, what: str
) -> tuple[Path, _Fields]:
    entries = _entries(files, kind, key, name)
    if str(wanted) not in entries:
        known = ", ".join(entries) or "none"
        raise KubeconfigError(f"the {key} of {what} is {str(wanted or '')!r}; {name} has {known}")
    return entries[str(wanted)]
