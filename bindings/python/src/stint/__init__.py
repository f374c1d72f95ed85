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
    VerdictReason,
    VerdictWord,
)
from stint.engine import (
    Decision,
    Engine,
    EngineModule,
    EngineRequest,
    Explanation,
    PodGroup,
    PollResult,
    SavedEngine,
    Verdict,
)
from stint.errors import NO_CODE, EngineClosedError, EngineError, EngineTrapError, StintError

__version__ = "0.1.0"

__all__ = [
    "ABI_VERSION",
    "MAX_REVIEW_BYTES",
    "NO_CODE",
    "Decision",
    "DecisionCode",
    "Engine",
    "EngineClosedError",
    "EngineConfiguration",
    "EngineConstants",
    "EngineError",
    "EngineModule",
    "EngineRequest",
    "EngineTrapError",
    "ErrorCode",
    "ExplainCode",
    "Explanation",
    "IngestKind",
    "PodGroup",
    "PollResult",
    "SavedEngine",
    "Source",
    "StintError",
    "Verdict",
    "VerdictReason",
    "VerdictWord",
    "__version__",
]
