"""The official Python client in running containers: exec, attach and portforward. A line `ok …` for a step."""

import time
from contextlib import closing

import kubernetes
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.stream import portforward, stream

NAMESPACE = "default"
POD = "streams"
PORT = 7779
SHOUTING = f"""
  require("net").createServer((socket) => socket.once("data", (data) => socket.end(String(data).toUpperCase())))
    .listen({PORT}, "127.0.0.1", () => process.stdin.on("data", (data) => process.stdout.write("heard " + data)));
"""
OUTPUTS = {"stdout": True, "stderr": True, "stdin": False, "tty": False}

config.load_kube_config()
core = client.CoreV1Api()


def pod_runs():
    main = {"name": "main", "image": "none", "command": ["node", "-e", SHOUTING], "stdin": True}
    core.create_namespaced_pod(
        NAMESPACE, {"metadata": {"name": POD}, "spec": {"restartPolicy": "Never", "containers": [main]}}
    )
    deadline = time.monotonic() + 60
    while core.read_namespaced_pod(POD, NAMESPACE).status.phase != "Running":
        assert time.monotonic() < deadline, "the pod does not run"
        time.sleep(0.1)


def command_is_run():
    command = ["sh", "-c", "echo out; echo err >&2"]
    said = stream(core.connect_get_namespaced_pod_exec, POD, NAMESPACE, command=command, **OUTPUTS)
    assert sorted(said.split()) == ["err", "out"], said


def command_has_channels_and_an_exit_code():
    options = {**OUTPUTS, "stdin": True, "_preload_content": False}
    command = ["sh", "-c", "read line; echo got $line; echo bad >&2; exit 3"]
    running = stream(core.connect_get_namespaced_pod_exec, POD, NAMESPACE, command=command, **options)
    running.write_stdin("one\n")
    running.run_forever(timeout=60)
    assert (running.read_stdout(), running.read_stderr()) == ("got one\n", "bad\n"), running
    assert running.returncode == 3, running.returncode


def bytes_stay_bytes():
    options = {**OUTPUTS, "_preload_content": False, "binary": True}
    command = ["head", "-c", "300000", "/dev/zero"]
    running = stream(core.connect_get_namespaced_pod_exec, POD, NAMESPACE, command=command, **options)
    read = b""
    while running.is_open():
        running.update(timeout=10)
        read += running.read_stdout(timeout=0) if running.peek_stdout() else b""
    assert read == bytes(300000), len(read)


def terminal_has_a_size():
    options = {**OUTPUTS, "stdin": True, "tty": True, "_preload_content": False}
    command = ["sh", "-c", "read line; stty size"]
    running = stream(core.connect_get_namespaced_pod_exec, POD, NAMESPACE, command=command, **options)
    running.write_channel(4, '{"Width":132,"Height":43}')
    running.write_stdin("go\n")
    running.run_forever(timeout=60)
    assert "43 132" in running.read_all(), running


def container_is_attached_to():
    options = {**OUTPUTS, "stdin": True, "_preload_content": False}
    running = stream(core.connect_get_namespaced_pod_attach, POD, NAMESPACE, container="main", **options)
    running.write_stdin("you\n")
    assert running.readline_stdout(timeout=60) == "heard you", running
    running.close()


def port_is_forwarded():
    forward = portforward(core.connect_get_namespaced_pod_portforward, POD, NAMESPACE, ports=str(PORT))
    with closing(forward.socket(PORT)) as connection:
        connection.setblocking(True)
        connection.sendall(b"hello\n")
        assert connection.recv(100) == b"HELLO\n"
    assert forward.error(PORT) is None, forward.error(PORT)


def closed_port_is_an_error():
    forward = portforward(core.connect_get_namespaced_pod_portforward, POD, NAMESPACE, ports="9")
    with closing(forward.socket(9)) as connection:
        connection.setblocking(True)
        assert connection.recv(100) == b""
    assert "connection refused" in forward.error(9), forward.error(9)


def unknown_container_is_refused():
    try:
        stream(
            core.connect_get_namespaced_pod_exec, POD, NAMESPACE, container="other", command=["true"], **OUTPUTS
        )
        raise AssertionError("it was not refused")
    except ApiException as error:
        assert error.status == 0 and "400 Bad Request" in error.reason, error
    except AttributeError as error:
        # Version 36 stumbles over its own error, which has no body.
        assert kubernetes.__version__.startswith("36."), error
        assert "400 Bad Request" in str(error.__context__), error.__context__


for step in [
    pod_runs,
    command_is_run,
    command_has_channels_and_an_exit_code,
    bytes_stay_bytes,
    terminal_has_a_size,
    container_is_attached_to,
    port_is_forwarded,
    closed_port_is_an_error,
    unknown_container_is_refused,
]:
    step()
    print(f"ok {step.__name__}", flush=True)
