"""The number of servers wanted, as k8s/base/samplers/scaled-object.yaml asks.

The manifest's PromQL is what an autoscaler runs; `promql_test` compares it with
this. Both are given what `/metrics` of the servers say.
"""

BUSY_TARGET = 0.8  # busy share of a server when the fleet has the right size
LARGEST_WAIT = 0.9  # a larger wait ratio counts as this
# From this typical busy share of the fleet on a wait counts, more and more, and
# it counts whole when the share is larger by the second number.
WAIT_COUNTS_FROM = 0.85
WAIT_COUNTS_WHOLE_AFTER = 0.1
NEARLY_IDLE = 0.001  # of one server; keeps an idle fleet from dividing by 0


def clamp(value, least, most):
    return max(least, min(most, value))


def typical_busy(busy):
    """The mean busy share of the fleet's work: each server by its own share.

    A server that has just started has done little yet, so it counts little.
    """
    return sum(b * b for b in busy) / max(sum(busy), NEARLY_IDLE)


def wait_that_counts(busy, waits):
    """How much of the largest wait is due to too few servers."""
    fleet_is_busy = clamp(
        (typical_busy(busy) - WAIT_COUNTS_FROM) / WAIT_COUNTS_WHOLE_AFTER,
        0, 1)
    return fleet_is_busy * clamp(max(waits, default=0), 0, LARGEST_WAIT)


def servers_wanted(busy, waits):
    """How many servers, not rounded.

    busy: `tributary_busy_ratio` of each server (of a partition: of each owner).
    waits: `tributary_trainer_wait_ratio` of each job, from any server.

    Servers that are busy for B server-minutes in a minute, while trainers wait
    for the share w of it, would be busy for B / (1 - w) if trainers did not
    wait. So this is the same number whatever the number of servers is now.
    """
    return sum(busy) / (BUSY_TARGET * (1 - wait_that_counts(busy, waits)))
