"""Makes the Python messages of the streaming protocol: wire.py PROTO OUT.

The messages have the bytes of proto/aaren/v1 on the wire, with two differences in Python. Packed arrays of numbers are
fields of bytes, which have the same encoding: NumPy reads an array where the array lies, and no list of Python floats
is made. The messages live in a package of their own, so a program may also load the protocol's usual messages.
"""

import re
import sys
from pathlib import Path

import grpc_tools
from grpc_tools import protoc

NAMES = ("stream", "sessions", "models")
ARRAYS = (
    r"repeated (?:float|double|sfixed64|bool) "
    r"(values|doubles|times_ns|surprise|steps_ns|future_values|covariates|offsets|learning|within|mark_probabilities) ="
)


def rewrite(text: str) -> str:
    text = text.replace("package aaren.v1;", "package aaren.wire;")
    text = text.replace('import "aaren/v1/', 'import "aaren/wire/')
    return re.sub(ARRAYS, r"bytes \1 =", text)


def main(proto: Path, out: Path) -> int:
    from importlib.util import find_spec

    spec = find_spec("google.rpc")
    assert spec is not None and spec.submodule_search_locations, "googleapis-common-protos is not installed"
    google = Path(next(iter(spec.submodule_search_locations))).parents[1]
    sources = out / "proto" / "aaren" / "wire"
    sources.mkdir(parents=True, exist_ok=True)
    (out / "__init__.py").touch()
    for name in NAMES:
        (sources / f"{name}.proto").write_text(rewrite((proto / f"{name}.proto").read_text()))
    root = out.parents[1]
    well_known = Path(next(iter(grpc_tools.__path__))) / "_proto"
    flags = [f"-I{out / 'proto'}", f"-I{google}", f"-I{well_known}", f"--python_out={root}", f"--pyi_out={root}"]
    return int(protoc.main(["protoc", *flags, *(f"aaren/wire/{name}.proto" for name in NAMES)]))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
