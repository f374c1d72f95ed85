"""Stint's engine for Python: see `Engine`. A host feeds it bytes and time, and sends the requests that it asks for."""

from stint.engine import (
    ABI_VERSION,
    NO_CODE,
    Decision,
    Engine,
    EngineConfiguration,
    EngineConstants,
    EngineError,
    EngineModule,
    EngineRequest,
    ErrorCode,
    Explanation,
    IngestKind,
    PodGroup,
    PollResult,
    SavedEngine,
    Source,
)

__all__ = [
    "ABI_VERSION",
    "NO_CODE",
    "Decision",
    "Engine",
    "EngineConfiguration",
    "EngineConstants",
    "EngineError",
    "EngineModule",
    "EngineRequest",
    "ErrorCode",
    "Explanation",
    "IngestKind",
    "PodGroup",
    "PollResult",
    "SavedEngine",
    "Source",
]
