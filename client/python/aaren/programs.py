"""The programs that the wheel brings: `aaren-server` and `aaren`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def path_of(name: str) -> Path:
    """Where the program is."""
    return Path(__file__).parent / "bin" / name


def _become(name: str) -> NoReturn:
    path = path_of(name)
    try:
        os.execv(path, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: {path}: {error.strerror}; a package built from the sdist has no programs, a wheel has them")


def server() -> NoReturn:
    """Becomes aaren-server, with this process's arguments."""
    _become("aaren-server")


def client() -> NoReturn:
    """Becomes aaren, with this process's arguments."""
    _become("aaren")
