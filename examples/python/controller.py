"""Runs the Jobs of a cluster that has no other Job controller, and prints each decision.

    stint serve --no-controller
    pip install 'stint-jobs[controller]'
    python examples/python/controller.py stint.kubeconfig
    KUBECONFIG=stint.kubeconfig kubectl create -f examples/pi.yaml

stint-jobs is not published yet: `npm run pack` in a clone makes the wheel, and docs/install.md says how to install it.
"""

import asyncio
import logging
import signal
import sys
from contextlib import suppress

import stint.controller
from stint import Decision


def tell(decisions: list[Decision]) -> None:
    for decision in decisions:
        print(f"{decision['namespace']}/{decision['job']}: {decision['message']}", flush=True)


async def main(kubeconfig: str) -> None:
    task = asyncio.current_task()
    assert task is not None
    # Requests in flight finish first: the next run would find a pod whose creation was abandoned, but only later.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    # Without managed_by these are the Jobs of the built-in controller, which must be off.
    await stint.controller.run(kubeconfig=kubeconfig, managed_by=None, on_decisions=tell)


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    with suppress(asyncio.CancelledError, KeyboardInterrupt):
        asyncio.run(main(sys.argv[1]))
