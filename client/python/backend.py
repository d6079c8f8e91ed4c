"""Builds the package from its sources: the build backend of the sdist (PEP 517). The wheel has no programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Builds the wheel for the Python that runs this, and returns the wheel's name."""
    out = Path(wheel_directory).resolve()
    before = set(out.glob("*.whl"))
    command = [ROOT / "deploy" / "wheel", "--without-programs", f"--python={sys.executable}", f"--out={out}"]
    subprocess.run(command, check=True, env=os.environ | {"AAREN_PYTHON": sys.executable})
    (made,) = set(out.glob("*.whl")) - before
    return made.name
