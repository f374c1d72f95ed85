"""Finds the command `stint`: named by $STINT_COMMAND, on the PATH, or installed by npm in this folder or one above.

Invariant: nothing that another user could have put into a folder is started. A PATH may lead to the current folder by
relative entries: those are passed over, here and by the started command, which looks for `node`. What npm has installed
must belong to this user, to the owner of the tests or to root, and so must each link that leads to it. Windows does not
say whose a file is, so that is not checked there.
"""

import os
import shlex
import shutil
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

from stint.errors import StintError

_MAX_LINKS = 40
"""As many as Linux follows."""


class CommandNotFoundError(StintError):
    """There is no command `stint`."""


def find_command(folder: Path, environment: Mapping[str, str] = os.environ) -> list[str]:
    """The words that start `stint`, for a test that runs in the folder."""
    named = environment.get("STINT_COMMAND", "")
    if named.strip():
        return shlex.split(named)
    found = shutil.which("stint", path=_absolute_path(environment))
    # Windows looks into the current folder first, whatever the PATH says.
    if found is not None and os.path.isabs(found):
        return [found]
    inside = Path("node_modules", ".bin", "stint.cmd" if sys.platform == "win32" else "stint")
    for place in (folder, *folder.parents):
        path = place / inside
        if path.exists():
            _refuse_of_others(path, folder)
            return [str(path)]
    raise CommandNotFoundError(
        f"there is no command stint: not in $STINT_COMMAND, not on the PATH, and no {inside.as_posix()} in {folder} or"
        " above; `npm install --save-dev @stint-dev/stint` puts it there, with Node 22.19 or newer (not published yet:"
        " `npm run pack` in a clone of Stint makes the tarball to install)"
    )


def child_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment for a command: no entry of its PATH is relative. Without any entry there is no PATH."""
    path = _absolute_path(environment)
    others = {name: value for name, value in environment.items() if name != "PATH"}
    # An empty PATH would mean the current folder.
    return others if path == "" else {**others, "PATH": path}


def _absolute_path(environment: Mapping[str, str]) -> str:
    entries = environment.get("PATH", "").split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry))


def _refuse_of_others(path: Path, folder: Path) -> None:
    """Raises CommandNotFoundError where another user may have put the command there."""
    if sys.platform == "win32":
        return
    trusted = {0, os.getuid(), folder.stat().st_uid}
    for part in (each for place in (path.parent.parent, path.parent, path) for each in _with_targets(place)):
        stats = part.lstat()
        problem = None
        if stats.st_uid not in trusted:
            problem = f"belongs to another user ({stats.st_uid})"
        elif stats.st_mode & stat.S_IWOTH and not stat.S_ISLNK(stats.st_mode):
            problem = "can be written by every user"
        if problem is not None:
            raise CommandNotFoundError(
                f"{path} was found and is not started: {part} {problem}. If it is meant, name it in $STINT_COMMAND"
            )


def _with_targets(path: Path) -> list[Path]:
    """The path, and what each link leads to, up to what is no link."""
    found = [path]
    while found[-1].is_symlink() and len(found) <= _MAX_LINKS:
        found.append(found[-1].parent / found[-1].readlink())
    return found
