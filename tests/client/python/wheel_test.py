"""The wheel: small, whole, and its server answers. AAREN_BUILD names the build folder that is packed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bare_root

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    environment = os.environ | {"AAREN_PYTHON": sys.executable}
    command = [ROOT / "deploy" / "wheel", f"--built={os.environ['AAREN_BUILD']}", f"--out={folder}"]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    assert wheel.stat().st_size < 40e6
    return wheel


@pytest.fixture(scope="module")
def installed(wheel):
    """A folder with what the wheel brings; other packages are those of this environment."""
    site = wheel.parent / "site"
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", f"--target={site}", wheel], check=True)
    return site


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


def test_bare_debian_installs_the_wheel_and_serves(wheel, tmp_path):
    if why := bare_root.lacks():
        pytest.skip(why)
    root = bare_root.make(str(tmp_path), "apt", "python3-pip")  # apt is in every Debian, and brings libstdc++
    wheels = Path(root) / "opt" / "wheels"
    download = [sys.executable, "-m", "pip", "download", "-q", "-d", str(wheels), str(wheel)]
    downloaded = subprocess.run(download, capture_output=True, text=True, check=False)
    bare_root.require(downloaded, "pip cannot fetch what the wheel needs")

    def run(*command):
        process = bare_root.inside(root, *command)
        out, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        return out

    run("pip", "install", "-q", "--no-index", "--find-links=/opt/wheels", "--break-system-packages", "aaren")
    server = bare_root.inside(root, "aaren-server", "--listen=127.0.0.1:0", "--metrics_listen=", "--store=memory")
    try:
        ready = server.stdout.readline()
        assert ready.startswith("ready listen="), ready or server.stderr.read()
        target = ready.split()[1].removeprefix("listen=")
        code = f"import aaren; s = aaren.Client('{target}').session('bare'); print(s.update(1.0).seq)"
        assert run("python3", "-c", code).strip() == "0"
        run("aaren", "health", f"--target={target}")
    finally:
        server.terminate()
        server.communicate()


def test_sdist_builds_a_wheel_that_forecasts(tmp_path):
    environment = os.environ | {"AAREN_PYTHON": sys.executable}
    subprocess.run([ROOT / "deploy" / "wheel", "--sdist", f"--out={tmp_path}"], check=True, env=environment)
    (sdist,) = tmp_path.glob("*.tar.gz")
    site = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", f"--target={site}", sdist]
    subprocess.run(pip, check=True, env=environment)
    code = "import aaren; print(aaren.__file__, len(aaren.Forecaster().session().update(1.0)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path,
                         env=environment | {"PYTHONPATH": str(site)}).stdout  # fmt: skip
    assert out.split() == [str(site / "aaren" / "__init__.py"), "48"]
