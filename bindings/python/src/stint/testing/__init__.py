"""A cluster for tests of code that uses Jobs, in virtual time: `StintCluster.start()` starts `stint serve` for a test,
and `stop()` ends it. pytest gets it as the fixtures `stint_cluster` and `stint_session_cluster`, without an import.
Needs the extra `stint-jobs[testing]`, and the command `stint`.
"""

try:
    import yaml as _yaml
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"stint.testing needs {error.name}, which is not installed: `pip install 'stint-jobs[testing]'`"
        " (not published yet: `npm run pack` in a clone of Stint makes the wheel to install)",
        name=error.name,
    ) from None

from stint.testing.cluster import ControlError, Drained, JobReason, PodState, StintCluster
from stint.testing.command import CommandNotFoundError
from stint.testing.server import StartError

del _yaml

__all__ = ["CommandNotFoundError", "ControlError", "Drained", "JobReason", "PodState", "StartError", "StintCluster"]
