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
    LintCode,
    Source,
    VerdictReason,
    VerdictWord,
)
from stint.engine import (
    Advice,
    Decision,
    Engine,
    EngineModule,
    EngineRequest,
    Explanation,
    LintReport,
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
    "Advice",
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
    "LintCode",
    "LintReport",
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
