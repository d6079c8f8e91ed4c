"""Calls about sessions and models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from aaren.client.options import ClientOptions
from aaren.client.status import from_rpc
from aaren.wire import models_pb2, sessions_pb2
from aaren.wire.sessions_pb2 import SessionInfo
from aaren.wire.stream_pb2 import ModelInfo

T = TypeVar("T", bound=Message)


class Calls:
    """One channel for all calls; made when first needed, and safe from any thread."""

    def __init__(self, options: ClientOptions) -> None:
        self._options = options
        self._channel: grpc.Channel | None = None

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close()

    def _call(self, method: str, request: Any, response: type[T]) -> T:
        options = self._options
        if self._channel is None:
            credentials, arguments = options.credentials(), options.arguments()
            self._channel = (
                grpc.secure_channel(options.target, credentials, arguments)
                if credentials
                else grpc.insecure_channel(options.target, arguments)
            )
        call = self._channel.unary_unary(f"/aaren.v1.{method}", type(request).SerializeToString, response.FromString)
        try:
            timeout = None if options.timeout == float("inf") else options.timeout
            reply: T = call(request, timeout=timeout, metadata=options.headers(), wait_for_ready=False)
            return reply
        except grpc.RpcError as error:
            raise from_rpc(error) from None

    def get_session(self, session_id: str) -> SessionInfo:
        """What the server knows of a session. NotFound if there is none."""
        return self._call("Sessions/Get", sessions_pb2.GetSessionRequest(session_id=session_id), SessionInfo)

    def list_sessions(self, prefix: str = "") -> Iterator[SessionInfo]:
        """Sessions in order of id."""
        token = ""
        while True:
            request = sessions_pb2.ListSessionsRequest(page_size=1000, page_token=token, prefix=prefix)
            page = self._call("Sessions/List", request, sessions_pb2.ListSessionsResponse)
            yield from page.sessions
            token = page.next_page_token
            if not token:
                return

    def export_session(self, session_id: str) -> bytes:
        """A session's state as a snapshot."""
        request = sessions_pb2.ExportSessionRequest(session_id=session_id)
        return bytes(self._call("Sessions/Export", request, sessions_pb2.ExportSessionResponse).snapshot)

    def import_session(
        self, session_id: str, snapshot: bytes, *, replace: bool = False, model: str = ""
    ) -> SessionInfo:
        """Makes a session of a snapshot. AlreadyExists if the id is taken, unless `replace`."""
        request = sessions_pb2.ImportSessionRequest(
            session_id=session_id, snapshot=snapshot, replace=replace, model=model
        )
        return self._call("Sessions/Import", request, SessionInfo)

    def fork_session(self, session_id: str, new_session_id: str) -> SessionInfo:
        """Copies a session to a new id."""
        request = sessions_pb2.ForkSessionRequest(session_id=session_id, new_session_id=new_session_id)
        return self._call("Sessions/Fork", request, SessionInfo)

    def delete_session(self, session_id: str) -> None:
        """Has the server forget a session."""
        request = sessions_pb2.DeleteSessionRequest(session_id=session_id)
        self._call("Sessions/Delete", request, sessions_pb2.DeleteSessionResponse)

    def evict_session(self, session_id: str) -> None:
        """Moves a session out of the server's memory into its store."""
        request = sessions_pb2.EvictSessionRequest(session_id=session_id)
        self._call("Sessions/Evict", request, sessions_pb2.EvictSessionResponse)

    def models(self) -> list[ModelInfo]:
        """The models that the server has loaded."""
        return list(self._call("Models/List", models_pb2.ListModelsRequest(), models_pb2.ListModelsResponse).models)

    def model(self, name: str) -> ModelInfo:
        """One of them: "name", "name:version" or "name@label"."""
        return self._call("Models/Get", models_pb2.GetModelRequest(model=name), ModelInfo)
