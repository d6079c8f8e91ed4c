"""The wheel: small, whole, and its server answers. AAREN_BUILD names the build folder that is packed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what the wheel brings; other packages are those of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    environment = os.environ | {"AAREN_PYTHON": sys.executable}
    command = [ROOT / "deploy" / "wheel", f"--built={os.environ['AAREN_BUILD']}", f"--out={folder}"]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    (wheel,) = folder.glob("*.whl")
    assert wheel.stat().st_size < 40e6
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", f"--target={folder / 'site'}", wheel],
                   check=True)  # fmt: skip
    return folder / "site"


def test_server_of_the_wheel_answers_its_client(installed):
    environment = os.environ | {"PYTHONPATH": str(installed)}
    server = subprocess.Popen(
        [installed / "bin" / "aaren-server", "--listen=127.0.0.1:0", "--metrics_listen=127.0.0.1:0", "--store=memory"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment,
    )  # fmt: skip
    try:
        target = re.match(r"ready listen=(\S+)", server.stdout.readline())[1]
        code = (
            "import sys, aaren; s = aaren.Client(sys.argv[1]).session('wheel'); print(aaren.__file__, s.update(1.0) == "
        )
        code += "aaren.Forecaster().session().update(1.0))"
        out = subprocess.run([sys.executable, "-c", code, target], capture_output=True, text=True, env=environment,
                             cwd=installed, check=True, timeout=60).stdout  # fmt: skip
        assert out.split() == [str(installed / "aaren" / "__init__.py"), "True"]
        subprocess.run([installed / "bin" / "aaren", "health", f"--target={target}"], check=True, env=environment)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
