"""Apart: calls of the main thread, where Ctrl-C may raise an exception at any line, run on a thread of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Job:
    """A call that runs. `stopped` once nobody waits for the result any more."""

    def __init__(self, work: Callable[[Job], Any]) -> None:
        self.work, self.stopped, self.ended = work, False, False
        self.result: Any = None
        self.error: BaseException | None = None
        self._running = threading.Lock()
        self._running.acquire()

    def run(self) -> None:
        try:
            self.result = self.work(self)
        except BaseException as error:  # the caller's to hear
            self.error = error
        self.ended = True
        self._running.release()

    def wait(self) -> None:
        if not self.ended:
            self._running.acquire()


class Apart:
    """What the session keeps is changed where no signal comes between; the main thread only waits, in C.

    The thread runs one call after the other, so that a call begins when the one that was interrupted has ended.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._over = False
        self._wake = wake  # makes the work of a job look at `stopped`
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        threading.Thread(target=self._run, name="aaren-calls", daemon=True).start()

    def call(self, work: Callable[[Job], T]) -> T:
        """The result of the work. Any other thread than the main one does the work itself."""
        job = Job(work)
        here = self._over or threading.current_thread() is not threading.main_thread()
        if here:
            return work(job)
        self._jobs.put(job)
        if self._over:  # since a moment: the thread may have ended before the job came
            self._run_rest()
        try:
            job.wait()
        except BaseException:
            job.stopped = True
            self._wake()
            job.wait()  # the session's seq is what was taken
            raise
        if job.error is not None:
            raise job.error
        return job.result  # type: ignore[no-any-return]

    def stop(self) -> None:
        """Ends the thread after the calls that it has. Later calls find the client closed."""
        self._over = True
        self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.run()
            del job  # and with it the results

    def _run_rest(self) -> None:
        try:
            while True:
                if (job := self._jobs.get_nowait()) is not None:
                    job.run()
        except Empty:
            self._jobs.put(None)  # the thread's own word may have been among them
