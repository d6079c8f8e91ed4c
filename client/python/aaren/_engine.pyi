from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

far_horizon: int
most_covariates: int

class Selection:
    def __init__(self, steps: Sequence[int], levels: Sequence[float]) -> None: ...

class EventSelection:
    def __init__(
        self, levels: Sequence[float], spans: Sequence[float], marks: int, unit_ns: int, resolution_ns: int
    ) -> None: ...

class Model:
    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def description(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def tier(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def horizon(self) -> int: ...
    @property
    def levels(self) -> list[float]: ...
    @property
    def row_bytes(self) -> int: ...
    @property
    def numerics_version(self) -> int: ...
    def extended(self, past: int, future: int, profile: bool) -> Model: ...
    def step(
        self,
        sessions: Sequence[Rows],
        values: npt.NDArray[np.float64],
        ends: npt.NDArray[np.int64],
        wanted: npt.NDArray[np.uint8],
        covariates: npt.NDArray[np.float32],
        ahead: npt.NDArray[np.float32],
        selection: Selection | None,
        forecasts: npt.NDArray[np.float64],
        learning: npt.NDArray[np.uint8],
        surprises: npt.NDArray[np.float32],
        threads: int,
    ) -> None: ...
    def step_events(
        self,
        sessions: Sequence[Rows],
        times: npt.NDArray[np.int64],
        marks: npt.NDArray[np.uint32],
        ends: npt.NDArray[np.int64],
        wanted: npt.NDArray[np.uint8],
        selection: EventSelection,
        seconds: npt.NDArray[np.float32],
        within: npt.NDArray[np.float32],
        likeliest: npt.NDArray[np.uint32],
        probabilities: npt.NDArray[np.float32],
        surprises: npt.NDArray[np.float32],
        threads: int,
    ) -> None: ...

def load(folder: str, device: str, tier: str, kind: str) -> Model: ...

class Rows:
    def __init__(self, model: Model, channels: int) -> None: ...
    @property
    def channels(self) -> int: ...
    @property
    def seq(self) -> int: ...
    def update(self, value: float, forecast: npt.NDArray[np.float64]) -> tuple[float, bool]: ...
    def update_event(
        self,
        time_ns: int,
        mark: int,
        selection: EventSelection,
        seconds: npt.NDArray[np.float32],
        within: npt.NDArray[np.float32],
        likeliest: npt.NDArray[np.uint32],
        probabilities: npt.NDArray[np.float32],
    ) -> float: ...
    def copy(self) -> Rows: ...
    def to_bytes(self) -> bytes: ...
    def restore(self, rows: bytes, seq: int) -> None: ...
