"""Frames out of NumPy columns."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any, Literal, get_args

import narwhals as nw

from aaren.errors import InvalidArgument

Backend = Literal["pandas", "polars", "pyarrow"]


def new_frame(columns: Mapping[str, Any], backend: Backend | None = None) -> Any:
    """A frame of pandas, polars or pyarrow; without a word the first that is installed."""
    names: tuple[Backend, ...] = get_args(Backend)
    chosen = backend or next((name for name in names if importlib.util.find_spec(name)), None)
    if chosen is None or chosen not in names:
        raise InvalidArgument(f"no backend {chosen!r}; install and name one of {', '.join(names)}")
    return nw.from_dict(dict(columns), backend=chosen).to_native()
