"""An admission webhook for Jobs: what the engine refuses, and two rules of one's own.

    pip install stint
    python examples/python/webhook.py tls.crt tls.key 8443

An API server calls it by https://…/validate and https://…/mutate; deploy/webhook has the manifests. It runs on the
standard library alone. A server of asyncio takes `stint.admission.asgi(check)` instead.
"""

import logging
import ssl
import sys
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import stint.admission
from stint import Engine
from stint.admission import Denied


def check(request: dict[str, Any], _engine: Engine) -> Iterator[str]:
    """Asked about every object that the engine allows: yields warnings, and raises Denied."""
    if request["kind"]["kind"] != "Job" or request["operation"] != "CREATE":
        return
    spec = request["object"]["spec"]
    if "ttlSecondsAfterFinished" not in spec:
        yield "spec.ttlSecondsAfterFinished is not set: the finished Job stays until somebody deletes it"
    if "activeDeadlineSeconds" not in spec:
        raise Denied("spec.activeDeadlineSeconds is not set: say how long the Job may take")


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    timeout = 30

    def log_message(self, *_arguments: object) -> None:
        pass


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    certificate, key, port = sys.argv[1:]
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    with make_server("", int(port), stint.admission.wsgi(check), Server, Handler) as server:
        # The handshake comes with the first read, in the thread of the connection: a slow one stops nobody else.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print(f"https://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
