"""The waiting jobs of a pool: clients take turns, and so do the owners of each client."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yoddd.daemon.connections.search_pool import Job


_Jobs = OrderedDict[object, "deque[Job]"]


class FairQueue:
    """Jobs in the order in which they are due.

    The first client is next, with its first owner; one that has had its turn goes behind the
    others. So a client with thirty connections gets no more turns than one with a single one.
    """

    def __init__(self) -> None:
        """Create it empty."""
        # The jobs by client and owner; none of both without jobs.
        self._clients: OrderedDict[object, _Jobs] = OrderedDict()

    def __iter__(self) -> Iterator[Job]:
        """Yield the jobs."""
        for owners in self._clients.values():
            for jobs in owners.values():
                yield from jobs

    def __len__(self) -> int:
        """Return the number of jobs."""
        return sum(len(jobs) for owners in self._clients.values() for jobs in owners.values())

    def __bool__(self) -> bool:
        """Return whether there is a job."""
        return bool(self._clients)

    def has_owner(self, job: Job) -> bool:
        """Return whether another job of the owner of ``job`` waits."""
        return job.owner in self._clients.get(job.client, ())

    def add(self, job: Job) -> None:
        """Append a job to the jobs of its owner."""
        owners: _Jobs = self._clients.setdefault(job.client, OrderedDict())
        owners.setdefault(job.owner, deque()).append(job)

    def take(self, busy: Container[object]) -> Job | None:
        """Remove and return the next job whose owner is not in ``busy``; None if there is none."""
        for client, owners in self._clients.items():
            for owner, jobs in owners.items():
                if owner not in busy:
                    job = jobs.popleft()
                    owners.move_to_end(owner)
                    self._clients.move_to_end(client)
                    self._tidy(client, owner)
                    return job
        return None

    def drop(self, owner: object) -> list[Job]:
        """Remove and return the jobs of an owner."""
        for client, owners in self._clients.items():
            if owner in owners:
                jobs = list(owners[owner])
                owners[owner].clear()
                self._tidy(client, owner)
                return jobs
        return []

    def _tidy(self, client: object, owner: object) -> None:
        owners = self._clients[client]
        if not owners[owner]:
            del owners[owner]
        if not owners:
            del self._clients[client]
