"""A whole Job controller for asyncio: `await stint.controller.run(...)` lists and watches, sends what the engine asks
for, and runs until it is cancelled. Needs the extra `stint-jobs[controller]`.
"""

try:
    import httpx as _httpx
    import yaml as _yaml
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"stint.controller needs {error.name}, which is not installed: `pip install 'stint-jobs[controller]'`"
        " (not published yet: `npm run pack` in a clone of Stint makes the wheel to install)",
        name=error.name,
    ) from None

from stint.controller.controller import DEFAULT_FINALIZER, DEFAULT_MANAGER, Controller, run
from stint.controller.election import DEFAULT_LEASE, LeaderElection, LeaseTimes
from stint.controller.kubeconfig import KubeconfigError
from stint.controller.limits import Limits

del _httpx, _yaml

__all__ = [
    "DEFAULT_FINALIZER",
    "DEFAULT_LEASE",
    "DEFAULT_MANAGER",
    "Controller",
    "KubeconfigError",
    "LeaderElection",
    "LeaseTimes",
    "Limits",
    "run",
]
