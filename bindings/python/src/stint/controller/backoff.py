"""Growing waits between tries of one thing, with jitter: each is drawn between the present base and twice that, and the
base doubles up to a limit. The jitter keeps clients that failed together from coming back together.
"""

from collections.abc import Callable


class Backoff:
    """The waits of one thing that is tried again and again."""

    def __init__(self, initial_s: float, max_s: float, random: Callable[[], float]) -> None:
        """`random` is uniform in [0, 1)."""
        self._initial_s = initial_s
        self._max_s = max_s
        self._random = random
        self._base_s = initial_s

    def next_s(self, at_least_s: float = 0.0) -> float:
        """The next wait. `at_least_s`: what the server asked for."""
        wait_s = min(self._base_s * (1 + self._random()), self._max_s)
        self._base_s = min(self._base_s * 2, self._max_s)
        return max(wait_s, at_least_s)

    def reset(self) -> None:
        """After a success."""
        self._base_s = self._initial_s
