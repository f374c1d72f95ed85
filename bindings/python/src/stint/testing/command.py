"""Finds the command `stint`: named by $STINT_COMMAND, on the PATH, or installed by npm in this folder or one above."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from stint.errors import StintError


class CommandNotFoundError(StintError):
    """There is no command `stint`."""


def find_command(folder: Path, environment: Mapping[str, str] = os.environ) -> list[str]:
    """The words that start `stint`, for a test that runs in the folder."""
    named = environment.get("STINT_COMMAND", "")
    if named.strip():
        return shlex.split(named)
    found = shutil.which("stint", path=environment.get("PATH", ""))
    if found is not None:
        return [found]
    inside = Path("node_modules", ".bin", "stint.cmd" if sys.platform == "win32" else "stint")
    for place in (folder, *folder.parents):
        if (place / inside).exists():
            return [str(place / inside)]
    raise CommandNotFoundError(
        f"there is no command stint: not in $STINT_COMMAND, not on the PATH, and no {inside.as_posix()} in {folder} or"
        " above; npm install --save-dev stint puts it there, with Node 22.19 or newer"
    )
