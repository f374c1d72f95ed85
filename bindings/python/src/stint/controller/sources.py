"""What a controller lists and watches: Jobs and pods of all namespaces, or of each one that is named. Pods are selected
by the label that the API server gives those of every Job whose selector it generated; the pods of a Job with
spec.manualSelector lack it, so all pods have to be watched for it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from stint.abi import Source

MAX_NAMESPACES: Final = 16
"""As `stint controller` has it: each costs two watches, and the engine takes 64 sources."""
_JOB_POD_LABEL: Final = "batch.kubernetes.io/controller-uid"
_NAMESPACE: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class WatchedSource:
    """One collection that is listed and watched."""

    configuration: Source
    path: str
    """With its selectors."""

    @property
    def id(self) -> int:
        """The source's number in the engine's configuration."""
        return self.configuration["id"]


def sources_of(namespaces: Sequence[str], manual_selectors: bool) -> list[WatchedSource]:
    """The sources for these namespaces, or for all of them if none is named. Raises ValueError for what is no
    namespace.
    """
    if isinstance(namespaces, str):
        raise ValueError(f"namespaces is the text {namespaces!r}; allowed is a list of names: [{namespaces!r}]")
    for namespace in namespaces:
        if not _NAMESPACE.fullmatch(namespace):
            raise ValueError(
                f"namespaces has {namespace!r}; allowed are names of namespaces: small letters, digits and -, "
                "at most 63 characters"
            )
    names = list(dict.fromkeys(namespaces))
    if len(names) > MAX_NAMESPACES:
        raise ValueError(f"namespaces has {len(names)} names; allowed are {MAX_NAMESPACES}, or none for all namespaces")
    sources: list[WatchedSource] = []
    for name in names or [""]:
        prefix = f"/namespaces/{name}" if name else ""
        jobs: Source = {"id": len(sources), "resource": "jobs"}
        pods: Source = {"id": len(sources) + 1, "resource": "pods", "isSelection": not manual_selectors}
        if name:
            jobs["namespace"] = pods["namespace"] = name
        selection = "" if manual_selectors else f"?labelSelector={quote(_JOB_POD_LABEL, safe='')}"
        sources.append(WatchedSource(jobs, f"/apis/batch/v1{prefix}/jobs"))
        sources.append(WatchedSource(pods, f"/api/v1{prefix}/pods{selection}"))
    return sources
