"""The exceptions of this package: each is a `StintError`, so that one clause catches all of them. Messages are English
sentences for people, which may change with any version; they hold no credential.
"""

from typing import Final

NO_CODE: Final = -1
"""`EngineError.code` of what the engine has no code for: a trap, an engine of another ABI, a save of another module."""


class StintError(Exception):
    """What everything that this package raises on purpose has in common."""


class EngineError(StintError):
    """The engine refused an input, or cannot be used.

    `code` is the number of an `ErrorCode`, or `NO_CODE`.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class EngineTrapError(EngineError):
    """The engine has stopped for good: every later call fails with this same error. Discard it and list again."""


class EngineClosedError(EngineError):
    """The engine was closed, and cannot be called any more."""
