"""A session's state as bytes: what a server's Export gives out and its Import takes (server/store/format/snapshot.h).

Integers are little-endian, strings are a uint16 length and bytes:
magic, uint32 format, model, package digest, tier, uint32 numerics version, uint32 channels, uint64 seq,
int64 last_time_ns, int64 step_ns, uint64 bytes of rows, rows, and the first 16 bytes of the SHA-256 of all before.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from aaren import _engine
from aaren.errors import DataLoss, FailedPrecondition
from aaren.times import Clock

MAGIC = b"AARENSES"
FORMAT = 1
_CHECKSUM = 16
_NUMBERS = struct.Struct("<IIQqqQ")


@dataclass(frozen=True)
class Snapshot:
    """The fields of a snapshot."""

    model: str  #: name:version
    digest: str  #: of the package, SHA-256 in hexadecimal
    tier: str
    numerics_version: int
    channels: int
    seq: int  #: tokens taken
    last_time_ns: int
    step_ns: int
    rows: bytes  #: [channels, row_bytes]

    def encode(self) -> bytes:
        texts = b"".join(
            struct.pack("<H", len(text)) + text for text in map(str.encode, (self.model, self.digest, self.tier))
        )
        numbers = _NUMBERS.pack(
            self.numerics_version, self.channels, self.seq, self.last_time_ns, self.step_ns, len(self.rows)
        )
        body = MAGIC + struct.pack("<I", FORMAT) + texts + numbers + self.rows
        return body + hashlib.sha256(body).digest()[:_CHECKSUM]


def decode(blob: bytes) -> Snapshot:
    """The snapshot in `blob`. DataLoss for bytes that are none, FailedPrecondition for a later format."""
    blob = bytes(blob)
    if not blob.startswith(MAGIC):
        raise DataLoss(f"snapshot: the first bytes are not {MAGIC.decode()!r}")
    body = blob[:-_CHECKSUM]
    if len(body) < len(MAGIC) + 4 or hashlib.sha256(body).digest()[:_CHECKSUM] != blob[-_CHECKSUM:]:
        raise DataLoss(f"snapshot: the checksum of its {len(body)} bytes does not match: it was cut or altered")
    at = len(MAGIC)
    (version,) = struct.unpack_from("<I", body, at)
    if version != FORMAT:
        raise FailedPrecondition(f"snapshot: format version {version}, this package knows {FORMAT}")
    at += 4
    try:
        texts = []
        for _ in range(3):
            (length,) = struct.unpack_from("<H", body, at)
            texts.append(body[at + 2 : at + 2 + length].decode())
            at += 2 + length
        numbers = _NUMBERS.unpack_from(body, at)
    except (struct.error, UnicodeDecodeError) as error:
        raise DataLoss(f"snapshot: {error}") from None
    rows = body[at + _NUMBERS.size :]
    if len(rows) != numbers[5]:
        raise DataLoss(f"snapshot: {numbers[5]} bytes of rows, {len(rows)} are there")
    version, channels, seq, last, step, _ = numbers
    return Snapshot(texts[0], texts[1], texts[2], version, channels, seq, last, step, rows)


def encode_rows(engine: _engine.Model, rows: _engine.Rows, clock: Clock) -> bytes:
    """The snapshot of a session in this process."""
    rows = rows.copy()  # seq and bytes of one moment
    return Snapshot(
        f"{engine.name}:{engine.version}", engine.digest, engine.tier, engine.numerics_version, rows.channels,
        rows.seq, clock.last_ns, clock.step_ns, rows.to_bytes(),
    ).encode()  # fmt: skip


def check_model(state: Snapshot, engine: _engine.Model) -> None:
    """FailedPrecondition for a snapshot of another model, or of an engine with other bits."""
    if state.digest != engine.digest:
        raise FailedPrecondition(f"the snapshot is of {state.model}, package {state.digest[:12]}; this is "
                                 f"{engine.name}:{engine.version}, package {engine.digest[:12]}")  # fmt: skip
    if state.numerics_version != engine.numerics_version:
        raise FailedPrecondition(f"the snapshot is of numerics version {state.numerics_version}, this engine's is "
                                 f"{engine.numerics_version}")  # fmt: skip


def restore_rows(state: Snapshot, engine: _engine.Model) -> tuple[_engine.Rows, Clock]:
    """The rows and the clock of a snapshot that `check_model` accepts. DataLoss for rows that this model never made."""
    rows = _engine.Rows(engine, state.channels)
    rows.restore(state.rows, state.seq)
    return rows, Clock(state.last_time_ns, state.step_ns)
