"""Writes the metadata of a wheel: metadata.py STAGE VERSION TAG...

A TAG is a Python and the interface of its module: cp311-none for one release, cp312-abi3 for 3.12 and all later ones.
"""

import sys
import sysconfig
from pathlib import Path

from google.protobuf import __version__ as protobuf

METADATA = """Metadata-Version: 2.1
Name: aaren
Version: {version}
Summary: Forecasts of live series: a small memory of constant size for each, in this process or on a server
License: Apache-2.0
Requires-Python: >=3.10
Requires-Dist: numpy>=1.26
Requires-Dist: narwhals>=2
Requires-Dist: grpcio>=1.66
Requires-Dist: protobuf>={protobuf}
Requires-Dist: googleapis-common-protos
Provides-Extra: plot
Requires-Dist: matplotlib; extra == 'plot'
Provides-Extra: mcp
Requires-Dist: mcp>=2; extra == 'mcp'
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """Wheel-Version: 1.0
Generator: aaren
Root-Is-Purelib: false
"""

ENTRY_POINTS = """[console_scripts]
aaren = aaren.programs:client
aaren-server = aaren.programs:server
"""


def metadata(version: str) -> str:
    """The core metadata of the package. Messages made by a protobuf need that protobuf, or a later one."""
    readme = Path(__file__).with_name("README.md")
    return METADATA.format(version=version, protobuf=protobuf, readme=readme.read_text())


def main(stage: Path, version: str, tags: list[str]) -> None:
    info = stage / f"aaren-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(metadata(version))
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    lines = [f"Tag: {tag}-{platform}\n" for tag in tags]
    (info / "WHEEL").write_text(WHEEL + "".join(lines))
    (info / "entry_points.txt").write_text(ENTRY_POINTS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
