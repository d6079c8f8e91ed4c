"""Writes the metadata of a wheel: metadata.py STAGE VERSION TAGS, with TAGS such as cp311.cp312."""

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


def main(stage: Path, version: str, tags: str) -> None:
    info = stage / f"aaren-{version}.dist-info"
    info.mkdir()
    readme = Path(__file__).with_name("README.md")
    text = METADATA.format(version=version, protobuf=protobuf, readme=readme.read_text())
    (info / "METADATA").write_text(text)
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    lines = [f"Tag: {tag}-none-{platform}\n" for tag in tags.split(".")]
    (info / "WHEEL").write_text(WHEEL + "".join(lines))
    (info / "entry_points.txt").write_text(ENTRY_POINTS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
