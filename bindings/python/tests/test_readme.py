"""The example of the README runs, from the root of the repository, and prints what the README says."""

import subprocess
import sys
from pathlib import Path

from built_engine import REPOSITORY

PACKAGE = Path(__file__).resolve().parents[1]


def test_example() -> None:
    blocks = (PACKAGE / "README.md").read_text(encoding="utf-8").split("```")
    [example] = [block.removeprefix("python\n") for block in blocks if block.startswith("python\n")]
    [output] = [block.removeprefix("text\n") for block in blocks if block.startswith("text\n")]
    command = [sys.executable, "-c", example]
    done = subprocess.run(
        command, cwd=REPOSITORY, env={"PYTHONPATH": str(PACKAGE / "src")}, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == (output, "")
