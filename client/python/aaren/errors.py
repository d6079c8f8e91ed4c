"""The exceptions of the package: one for each code of a gRPC status, each also the built-in exception nearest to it.

An error that came from a server keeps what the server said beside the message: `reason` (such as
`SESSION_NOT_FOUND`) and `retry_after` in seconds.
"""

from __future__ import annotations

from typing import NoReturn


class AarenError(Exception):
    """The base of all errors. `code` is the status code's name, such as `NOT_FOUND`."""

    code = "UNKNOWN"
    number = 2

    def __init__(self, message: str = "", *, reason: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_after = retry_after


class Cancelled(AarenError):
    code, number = "CANCELLED", 1


class InvalidArgument(AarenError, ValueError):
    code, number = "INVALID_ARGUMENT", 3


class DeadlineExceeded(AarenError, TimeoutError):
    code, number = "DEADLINE_EXCEEDED", 4


class NotFound(AarenError, LookupError):
    code, number = "NOT_FOUND", 5


class AlreadyExists(AarenError):
    code, number = "ALREADY_EXISTS", 6


class PermissionDenied(AarenError, PermissionError):
    code, number = "PERMISSION_DENIED", 7


class ResourceExhausted(AarenError):
    code, number = "RESOURCE_EXHAUSTED", 8


class FailedPrecondition(AarenError):
    code, number = "FAILED_PRECONDITION", 9


class Aborted(AarenError):
    code, number = "ABORTED", 10


class OutOfRange(AarenError, ValueError):
    code, number = "OUT_OF_RANGE", 11


class Unimplemented(AarenError):
    code, number = "UNIMPLEMENTED", 12


class Internal(AarenError):
    code, number = "INTERNAL", 13


class Unavailable(AarenError, ConnectionError):
    code, number = "UNAVAILABLE", 14


class DataLoss(AarenError):
    code, number = "DATA_LOSS", 15


class Unauthenticated(AarenError, PermissionError):
    code, number = "UNAUTHENTICATED", 16


_BY_NUMBER: dict[int, type[AarenError]] = {kind.number: kind for kind in AarenError.__subclasses__()}


def error_of(number: int, message: str, *, reason: str = "", retry_after: float | None = None) -> AarenError:
    """The exception of a status code's number; AarenError itself for a number that is none."""
    return _BY_NUMBER.get(number, AarenError)(message, reason=reason, retry_after=retry_after)


def raise_status(number: int, message: str) -> NoReturn:
    """Raises the exception of a status; the engine's module calls this function."""
    raise error_of(number, message)
