"""A program that leaves a helper in a session of its own, without an environment.

``leaver.py MARK`` starts it, writes its number, and ends when it reads something, but not at the
end of its input. With an engine's command after that it becomes the engine instead. With
``KEEPER=kill`` in its environment it kills its parent first.
"""

from __future__ import annotations

import os
import signal
import sys
import time

mark, *engine = sys.argv[1:]
ready, done = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(done, f"{os.getpid()}\n".encode())
        null = os.open(os.devnull, os.O_RDWR)
        for pipe in (0, 1, 2):
            os.dup2(null, pipe)
        code = "import time; held = b'x' * (200 << 20); time.sleep(600)"
        os.execve(sys.executable, [sys.executable, "-S", "-c", code, mark], {})  # noqa: S606 — no shell is wanted
    os._exit(0)
os.wait()
number = os.read(ready, 20)
if engine:
    os.execv(engine[0], engine)  # noqa: S606 — likewise
os.write(1, number)
if os.environ.get("KEEPER") == "kill":
    os.kill(os.getppid(), signal.SIGKILL)
if not os.read(0, 1):
    time.sleep(600)
