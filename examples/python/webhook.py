"""An admission webhook for Jobs: refuses what upstream's rules refuse, and Jobs without a deadline; warns of everything
else that lint finds, and of Jobs that may make many pods. It runs on the standard library alone:

    pip install stint-jobs  # not published yet: `npm run pack` in a clone, and docs/install.md
    python examples/python/webhook.py tls.crt tls.key 8443

An API server calls https://…/validate and https://…/mutate, by deploy/webhook; asyncio has `stint.admission.asgi`.
"""

import logging
import ssl
import sys
import time
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import stint.admission
from stint import Engine, LintCode

MANY_PODS = 100


def check(request: dict[str, Any], engine: Engine) -> Iterator[str]:
    """Asked about every object that the engine allows: yields warnings, and raises Denied."""
    if request["kind"]["kind"] != "Job" or request["operation"] != "CREATE":
        return
    job, now_ms = request["object"], time.time_ns() // 1_000_000
    found = engine.lint({"job": job, "rules": {LintCode.NO_DEADLINE: "deny"}}, now_ms)["advice"]
    told = [(advice["severity"], f"{advice['field']}: {advice['sentence']}; {advice['fix']}") for advice in found]
    yield from (text for severity, text in told if severity == "warn")
    most = engine.forecast({"job": job}, now_ms)["pods"]["most"]
    if most["value"] is None:
        yield f"forecast: no limit of pods, because of {most['by']}"
    elif most["value"] > MANY_PODS:
        yield f"forecast: up to {most['value']} pods"
    for text in (text for severity, text in told if severity == "deny"):
        raise stint.admission.Denied(text)


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    timeout = 30


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    certificate, key, port = sys.argv[1:]
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    with make_server("", int(port), stint.admission.wsgi(check), Server, Handler) as server:
        # The handshake comes with the first read, in the thread of the connection: a slow one blocks no other
        # connection.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print(f"https://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
