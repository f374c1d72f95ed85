"""Stint's engine for Python: see `Engine`. A host feeds it bytes and time, and sends the requests that it asks for."""

from stint.abi import (
    ABI_VERSION,
    MAX_REVIEW_BYTES,
    DecisionCode,
    EngineConfiguration,
    EngineConstants,
    ErrorCode,
    ExplainCode,
    IngestKind,
    Source,
)
from stint.engine import (
    NO_CODE,
    Decision,
    Engine,
    EngineError,
    EngineModule,
    EngineRequest,
    Explanation,
    PodGroup,
    PollResult,
    SavedEngine,
)

__all__ = [
    "ABI_VERSION",
    "MAX_REVIEW_BYTES",
    "NO_CODE",
    "Decision",
    "DecisionCode",
    "Engine",
    "EngineConfiguration",
    "EngineConstants",
    "EngineError",
    "EngineModule",
    "EngineRequest",
    "ErrorCode",
    "ExplainCode",
    "Explanation",
    "IngestKind",
    "PodGroup",
    "PollResult",
    "SavedEngine",
    "Source",
]
