"""What a server said when it refused, as a part of one line of a log: which verb on which resource, the status, the
message of the server, and what to do about it.

Invariant: the text has a limited length, and no character that ends a line or controls a terminal.
"""

import json
import re
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

_MAX_CHARACTERS: Final = 400
_MAX_STATUS_BYTES: Final = 64 * 1024
_UNPRINTABLE: Final = re.compile("[\\s\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
_VERBS: Final = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403


def message_of(body: bytes) -> str:
    """The `message` of the Status in the body; else the text of the body, because proxies answer with text."""
    text = body[:_MAX_STATUS_BYTES].decode(errors="replace")
    try:
        status = json.loads(text)
    except (ValueError, RecursionError):
        message = text
    else:
        found = status.get("message") if isinstance(status, dict) else None
        message = found if isinstance(found, str) else ""
    return one_line(message)


def one_line(text: str) -> str:
    """The text on one line, of a limited length."""
    line = _UNPRINTABLE.sub(" ", text).strip()
    return f"{line[:_MAX_CHARACTERS]}…" if len(line) > _MAX_CHARACTERS else line


def action_of(method: str, path: str) -> tuple[str, str, str]:
    """What RBAC calls a request: the verb, the resource with its group (`jobs.batch/status`), and where: `in namespace
    ci`, or `in all namespaces`.
    """
    target = urlsplit(path)
    parts = [unquote(part) for part in target.path.split("/") if part]
    group = parts[1] if parts[0] == "apis" else ""
    rest = parts[3:] if parts[0] == "apis" else parts[2:]
    where = "in all namespaces"
    if rest[0] == "namespaces" and len(rest) > 2:
        where = f"in namespace {rest[1]}"
        rest = rest[2:]
    resource = f"{rest[0]}.{group}" if group else rest[0]
    if len(rest) > 2:
        resource += f"/{rest[2]}"
    if method != "GET":
        verb = _VERBS[method]
    elif "watch" in parse_qs(target.query):
        verb = "watch"
    else:
        verb = "get" if len(rest) > 1 else "list"
    return verb, resource, where


def refusal(method: str, path: str, status: int, message: str, who: str) -> str:
    """The sentence about an answer that is no success. `who` names the credentials, without showing them."""
    verb, resource, where = action_of(method, path)
    said = f": {message}" if message else ""
    if status == 0:
        return one_line(f"{verb} {resource} {where} got no answer{said}")
    sentence = f"{verb} {resource} {where} was answered {status}{said}"
    if status == _UNAUTHORIZED:
        return f"{sentence}. The server does not accept the credentials of {who}: renew them"
    if status == _FORBIDDEN:
        return f"{sentence}. The credentials of {who} need a role with the verb {verb} on {resource} {where}"
    return sentence
