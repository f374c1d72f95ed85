"""The fixtures `stint_cluster`, one for each test, and `stint_session_cluster`, one for all; and what a failed test
leaves: an explanation of each Job that is not complete, and a recording.

pytest loads this file in every run where the package is installed, even if no test uses it. So it is no part of the
package `stint`, which takes a tenth of a second to import, and imports that only for a test with a cluster.
"""

import base64
import os
import re
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from stint.testing import StintCluster

MAX_LINK_LENGTH = 100_000
"""Of a link to the playground, in characters. A longer one would fill the terminal."""

def pytest_addoption(parser: pytest.Parser) -> None:
    """A setting, for pyproject.toml or pytest.ini."""
    parser.addini("stint_serve_options", "further options of stint serve", type="args", default=[])


@pytest.fixture
def stint_cluster(request: pytest.FixtureRequest) -> Iterator["StintCluster"]:
    """A Kubernetes API in virtual time, with an empty cluster, for this test alone."""
    yield from _started(request)


@pytest.fixture(scope="session")
def stint_session_cluster(request: pytest.FixtureRequest) -> Iterator["StintCluster"]:
    """A Kubernetes API in virtual time, for all tests of the session: give each test its own namespace."""
    yield from _started(request)


def _started(request: pytest.FixtureRequest) -> Iterator["StintCluster"]:
    from stint.testing import CommandNotFoundError, StartError, StintCluster

    try:
        cluster = StintCluster.start(request.config.getini("stint_serve_options"))
    except (CommandNotFoundError, StartError) as error:
        # The message says what to do. A trace would add the variables of the environment, which may be secret.
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    with cluster:
        yield cluster


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds to the report of a failed test what its cluster knows."""
    report = yield
    cluster = _cluster_of(item)
    if report.failed and report.when != "teardown" and cluster is not None:
        report.sections.append(("stint", _what_is_known(cluster, item)))
    return report


def _cluster_of(item: pytest.Item) -> "StintCluster | None":
    arguments = getattr(item, "funcargs", {})
    return next((arguments[name] for name in ("stint_cluster", "stint_session_cluster") if name in arguments), None)


def _what_is_known(cluster: "StintCluster", item: pytest.Item) -> str:
    """Never raises: the test has failed already, and its cluster may be why."""
    try:
        reasons = [job.why.rstrip() for job in cluster.unsuccessful_jobs()] or ["every Job is complete"]
        return "\n\n".join([*reasons, *_write_recording(cluster, item)])
    except Exception as error:
        return f"the cluster says nothing any more: {error}"


def _write_recording(cluster: "StintCluster", item: pytest.Item) -> list[str]:
    """What to do with it. $STINT_RECORDINGS is the folder; if that is empty, there is none."""
    place = os.environ.get("STINT_RECORDINGS", "stint-recordings")
    if place == "":
        return []
    folder = Path(item.config.rootpath, place)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', item.nodeid)[-150:].strip('-.')}.stint.jsonl"
    recording = cluster.recording()
    path.write_bytes(recording)
    said = [f"what the controller received: stint replay --explain {path}"]
    if playground := os.environ.get("STINT_PLAYGROUND"):
        said.append(_in_playground(playground, recording))
    return said


def _in_playground(playground: str, recording: bytes) -> str:
    """The link contains the recording, so no server has to store it."""
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    data = base64.urlsafe_b64encode(deflate.compress(recording) + deflate.flush()).decode().rstrip("=")
    link = f"{playground}#r1/{data}"
    return link if len(link) <= MAX_LINK_LENGTH else f"or open that file in the playground: {playground}"
