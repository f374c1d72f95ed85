"""What several test files share and what takes long to make: the wheel, and a virtual environment that has the package
from that wheel alone.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from served_cluster import ServedCluster, served_cluster

PACKAGE = Path(__file__).resolve().parents[1]


def run(*command: str | Path, cwd: Path | None = None) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this package, built from its sources and the engine in the build folder."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, PACKAGE)
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed_python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh virtual environment with the wheel, its two extras, what they need, and kubernetes."""
    folder = tmp_path_factory.mktemp("venv")
    run(sys.executable, "-m", "venv", folder)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    packages = [f"{wheel}[controller,testing]", "kubernetes"]
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)
    return python


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedCluster]:
    """`stint serve --no-controller`."""
    with served_cluster(tmp_path_factory.mktemp("cluster")) as served:
        yield served
