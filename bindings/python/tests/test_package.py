"""The wheel: what is in it, what it says of itself, and that it runs without the repository."""

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import stint
from built_engine import BUILD, REPOSITORY
from conftest import PACKAGE, run


def test_wheel_contains_the_engine_the_license_and_all_modules(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert archive.read("stint/engine.wasm") == (BUILD / "engine.wasm").read_bytes()
        for name in ("LICENSE", "NOTICE"):
            inside = archive.read(f"stint_jobs-{stint.__version__}.dist-info/licenses/{name}")
            assert inside == (REPOSITORY / name).read_bytes()
    sources = {path.relative_to(PACKAGE / "src").as_posix() for path in PACKAGE.glob("src/**/*.py")}
    assert names >= sources | {"stint/py.typed"}


def test_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = message_from_bytes(archive.read(f"stint_jobs-{stint.__version__}.dist-info/METADATA"))
    assert metadata["Version"] == stint.__version__
    assert metadata["Version"] == json.loads((REPOSITORY / "package.json").read_text(encoding="utf-8"))["version"]
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    urls = [url.split(", ")[0] for url in metadata.get_all("Project-URL", [])]
    assert urls == ["Homepage", "Documentation", "Changelog"]
    # The base package needs a Wasm runtime and nothing else.
    needed = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert needed == ["wasmtime>=40"]


def test_sdist_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=PACKAGE)
    [sdist] = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        assert all(member.isfile() for member in archive.getmembers())
    shutil.unpack_archive(sdist, tmp_path)
    again = tmp_path / "again"
    unpacked = tmp_path / f"stint_jobs-{stint.__version__}"
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", again, unpacked)
    assert contents_of(again / wheel.name) == contents_of(wheel)


def test_runs_from_the_wheel_alone(installed_python: Path, tmp_path: Path) -> None:
    program = (
        "import stint, stint.engine\n"
        "with stint.Engine() as engine: print(stint.__version__, engine.metrics()['jobs'], stint.engine.__file__)\n"
    )
    done = subprocess.run(
        [installed_python, "-I", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    version, jobs, file = done.stdout.split()
    assert (version, jobs) == (stint.__version__, "0")
    assert Path(file).is_relative_to(installed_python.parents[1])


def contents_of(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        # RECORD lists the others, in the order in which they were put in.
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/RECORD")}
