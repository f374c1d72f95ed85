"""How much and how long: every limit of the loop, in one place. The values are those of `stint controller`, and the
waits between tries those of client-go's reflector.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the loop keeps to. The defaults suit a real cluster."""

    max_in_flight: int = 32
    """Requests of the engine under way at once."""
    page_size: int = 500
    """Objects in a page of a list."""
    request_timeout_s: float = 10.0
    """From sending a request to the last byte of its answer."""
    idle_timeout_s: float = 150.0
    """The longest silence of a watch: a healthy server sends a bookmark once a minute."""
    command_timeout_s: float = 30.0
    """How long a command that makes credentials may take (`exec` in a kubeconfig)."""
    grace_period_s: float = 15.0
    """How long requests under way may take after the loop was cancelled."""
    retry_initial_s: float = 0.8
    """The wait before a list or a watch is tried again is drawn between this and twice this; it doubles with each
    failure in a row.
    """
    retry_max_s: float = 30.0
    """The longest such wait, unless the server asks for a longer one."""
    max_retry_after_s: float = 300.0
    """The longest wait that a server may ask for: nothing makes the next try come earlier."""
    min_watch_s: float = 1.0
    """A watch that ends sooner without any progress is a fault, even if it ended cleanly."""
    max_answer_bytes: int = 64 * 1024 * 1024
    """A longer answer is given up, because the engine takes no more at once."""
    max_line_bytes: int = 16 * 1024 * 1024
    """A longer watch line cannot be an object that an API server stores."""
    max_refusal_bytes: int = 1024 * 1024
    """Of the answer to a watch that is not a stream."""
    max_engine_restarts: int = 5
    """After this many traps the controller gives up: a trap that repeats will not go away."""
    fence_interval_s: float = 1.0
    """How often the fence is asked while nothing is written."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not (value > 0 or (value == 0 and name == "max_engine_restarts")):
                raise ValueError(f"{name} is {value}; allowed is a number above 0")
