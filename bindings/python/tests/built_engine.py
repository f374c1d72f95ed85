"""The engine under test: build/engine.wasm of the repository, compiled once. Leaves out building it: `npm run build`
does.
"""

from functools import cache
from pathlib import Path

from stint import EngineModule

REPOSITORY = Path(__file__).resolve().parents[3]
BUILD = REPOSITORY / "build"
VECTORS = REPOSITORY / "test" / "vectors"


def read_built(name: str, command: str) -> bytes:
    """A file of the build folder. `command` makes it, and is what the error asks for when it is not there."""
    try:
        return (BUILD / name).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"build/{name} is missing: run `{command}` in the repository") from None


@cache
def engine_module() -> EngineModule:
    """The release module, compiled."""
    return EngineModule(read_built("engine.wasm", "npm run build"))
