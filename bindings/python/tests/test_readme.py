"""The examples of the README run from the wheel alone, and print what the README says."""

import subprocess
from pathlib import Path

from conftest import PACKAGE


def test_engine_example(installed_python: Path, tmp_path: Path) -> None:
    blocks = (PACKAGE / "README.md").read_text(encoding="utf-8").split("```")
    example = next(block.removeprefix("python\n") for block in blocks if block.startswith("python\n"))
    output = next(block.removeprefix("text\n") for block in blocks if block.startswith("text\n"))
    done = subprocess.run(
        [installed_python, "-I", "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == (output, "")
