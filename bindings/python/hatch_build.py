"""Puts the engine into the wheel and into the sdist, so that the package runs alone. It takes build/engine.wasm of the
repository; an sdist has its own already. Leaves out building it: `npm run build` does.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ENGINE = "src/stint/engine.wasm"


class EngineHook(BuildHookInterface[Any]):
    """Runs before each build of an artefact."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        here = Path(self.root)
        included: dict[str, str] = build_data["force_include"]
        # LICENSE and NOTICE are links to those of the repository, and links into nowhere in an sdist.
        for path in [path for path in included if Path(path).is_symlink()]:
            included[str(Path(path).resolve())] = included.pop(path)
        if (here / ENGINE).exists() or version == "editable":
            return
        built = here.parents[1] / "build" / "engine.wasm"
        if not built.exists():
            raise FileNotFoundError(f"{built} is missing: run `npm run build` in the repository, then build again")
        inside = ENGINE if self.target_name == "sdist" else ENGINE.removeprefix("src/")
        included[str(built)] = inside
