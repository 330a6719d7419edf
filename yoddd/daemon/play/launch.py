"""Starts an engine in a session of its own where there is no `yoddd-guard`.

A child that shares the daemon's process group cannot be killed together with its own children,
and `spawnProcess` offers no hook between fork and exec. Run as this module with the words
``KEY=VALUE… -- COMMAND…``, the settings of `yoddd.daemon.play.confinement.Confinement`, of which it
keeps ``cpu``, ``files`` and, on Linux, ``cpus``.
"""

import os
import resource
import sys

NOT_FOUND = 127
NOT_CONFINED = 126


def main(words: list[str]) -> None:
    """Become the command after ``--`` as the leader of a new session."""
    end = words.index("--")
    settings = dict(word.split("=", 1) for word in words[:end])
    command = words[end + 1 :]
    report = int(settings["report"]) if "report" in settings else None
    if report is not None:
        os.set_inheritable(report, False)
    os.setsid()
    try:
        for name, number in (("cpu", resource.RLIMIT_CPU), ("files", resource.RLIMIT_NOFILE)):
            if name in settings:
                most = int(settings[name])
                resource.setrlimit(number, (most, most))
        if "usual_files" in settings:
            most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (int(settings["usual_files"]), most))
        if "cpus" in settings and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, map(int, settings["cpus"].split(",")))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        fail(f"cannot be confined: {reason}", NOT_CONFINED, report)
    try:
        os.execvp(command[0], command)  # noqa: S606 — an argument vector, no shell
    except OSError as error:
        fail(f"{command[0]}: {error.strerror}", NOT_FOUND, report)


def fail(text: str, status: int, report: int | None) -> None:
    """Write the error, tell the referee that the engine is not at fault, and exit."""
    if report is not None:
        os.write(report, b"not started")
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
