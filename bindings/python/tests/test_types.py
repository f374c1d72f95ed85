"""The package and its tests are typed: mypy, strict as pyproject.toml says, finds nothing."""

import subprocess
import sys
from pathlib import Path


def test_mypy() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy"],
        cwd=Path(__file__).resolve().parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
