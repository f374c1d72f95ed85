"""What the engine hands out in a vector as one SHA-256, computed as scripts/vector-digests.ts does it in JavaScript:
method, path, Accept, Content-Type and body of every request in order, each as `<bytes>:` and then the bytes.
"""

import hashlib

from built_engine import engine_module, read_built
from plain_json import parse
from stint import EngineRequest
from vector_files import LoadedVector
from vector_runner import run_vector

_COMMAND = "node_modules/.bin/node scripts/vector-digests.ts"


def digest_of(loaded: LoadedVector) -> str:
    """In lower-case hexadecimal. Plays the vector, and raises AssertionError when it does not pass."""
    digest = hashlib.sha256()

    def add(request: EngineRequest) -> None:
        for text in (request.method, request.path, request.accept, request.content_type, request.body):
            content = text if isinstance(text, bytes) else text.encode()
            digest.update(b"%d:" % len(content) + content)

    run_vector(loaded.vector, loaded.objects, add)
    return digest.hexdigest()


def javascript_digests() -> dict[str, str]:
    """What JavaScript got of the same module, by the name of the case. Raises AssertionError when it was another
    module.
    """
    written = parse(read_built("vector-digests.json", _COMMAND))
    assert written["moduleSha256"] == engine_module().sha256, (
        f"build/vector-digests.json is of another build/engine.wasm: run `{_COMMAND}`"
    )
    digests: dict[str, str] = written["cases"]
    return digests
