"""The vectors of test/vectors/engine/, in the order of files and cases. Their format: test/vectors/README.md."""

from dataclasses import dataclass
from pathlib import Path

from built_engine import VECTORS
from plain_json import JsonObject, parse

_FOLDER = VECTORS / "engine"
_OBJECTS_FILE = "objects.json"


@dataclass(frozen=True)
class LoadedVector:
    """One vector with the objects that it may start from."""

    file: str
    vector: JsonObject
    objects: dict[str, JsonObject]

    @property
    def name(self) -> str:
        """Unique among all vectors."""
        return f"{self.file}: {self.vector['name']}"


def load_vectors() -> list[LoadedVector]:
    """Every vector."""
    shared = _read(_FOLDER / _OBJECTS_FILE).get("objects", {})
    loaded = []
    for path in sorted(_FOLDER.glob("*.json")):
        if path.name == _OBJECTS_FILE:
            continue
        content = _read(path)
        objects = shared | content.get("objects", {})
        loaded += [LoadedVector(path.name, vector, objects) for vector in content["cases"]]
    return loaded


def _read(path: Path) -> JsonObject:
    content: JsonObject = parse(path.read_bytes())
    return content
