"""Statuses of gRPC and of google.rpc, and whatever else ends a call, as exceptions with what the server said."""

from __future__ import annotations

import grpc
from google.rpc import error_details_pb2, status_pb2

from aaren.errors import AarenError, FailedPrecondition, Internal, Unavailable, error_of

_LONGEST_RETRY = 3600.0
_MOST_DETAILS = 64


def from_proto(status: status_pb2.Status, prefix: str = "") -> AarenError:
    """The exception of a status in a message; `prefix` begins its message."""
    if not 1 <= status.code <= 16:
        return Internal(f"{prefix}the server says status code {status.code}; 1 to 16 expected")
    reason, retry = "", None
    for detail in status.details[:_MOST_DETAILS]:
        info, after = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        if detail.Is(info.DESCRIPTOR) and detail.Unpack(info):
            reason = info.reason
        elif detail.Is(after.DESCRIPTOR) and detail.Unpack(after):
            seconds = after.retry_delay.seconds + after.retry_delay.nanos * 1e-9
            retry = min(seconds, _LONGEST_RETRY) if seconds > 0 else None
    return error_of(status.code, prefix + status.message, reason=reason, retry_after=retry)


def from_rpc(error: grpc.RpcError | grpc.aio.AioRpcError) -> AarenError:
    """The exception of a call that failed."""
    number = error.code().value[0]
    message = error.details() or error.code().value[1]
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            try:
                status = status_pb2.Status.FromString(value)
            except Exception:
                break
            if status.code == number:
                return from_proto(status)
    return error_of(number, message)


def from_exception(error: BaseException) -> AarenError:
    """What ended a stream's call, or kept the call from being made.

    Another attempt may find files and networks well again, and would meet any other exception again.
    """
    if isinstance(error, grpc.RpcError):
        return from_rpc(error)
    if isinstance(error, AarenError):
        return error
    told = f"{type(error).__name__}: {error}"
    return Unavailable(told) if isinstance(error, OSError) else FailedPrecondition(told)
