"""A root folder with packages of this machine's release and nothing else, and processes that see no other files."""

import glob
import os
import shutil
import subprocess
import unittest


def lacks():
    """Why this machine cannot make such a root; None if it can."""
    missing = [program for program in ("apt-get", "chroot", "dpkg-deb", "unshare") if not shutil.which(program)]
    if missing:
        return f"{', '.join(missing)}: missing"
    return None if os.geteuid() == 0 else "only root may chroot"


def require(run, why):
    """Skips the test where `run` failed, or fails it where packaging was to be there."""
    if run.returncode == 0:
        return run.stdout
    required = "packaging" in os.environ.get("AAREN_REQUIRE", "").split(",")
    raise (AssertionError if required else unittest.SkipTest)(f"{why}: {run.stderr.strip()[-300:]}")


def make(folder, *packages):
    """Unpacks packages, files or names of apt's, and what these ask for into folder/root. Scripts are not run."""
    root = os.path.join(folder, "root")
    status = os.path.join(folder, "status")
    os.makedirs(os.path.join(folder, "archives", "partial"))
    with open(status, "w", encoding="utf-8"):
        pass
    apt = ["apt-get", "-qq", "-o", "APT::Install-Recommends=false", "-o", "APT::Sandbox::User=root", "-o", f"Dir::State::status={status}",
           "-o", f"Dir::Cache={folder}", "-o", "Dir::Cache::archives=archives", "--download-only", "-y", "install", *packages]
    require(subprocess.run(apt, capture_output=True, text=True), "apt cannot fetch packages")
    # /lib and its like are links in today's Debian, where some packages still hold them as folders.
    for name in ("bin", "lib", "lib64", "sbin"):
        os.makedirs(os.path.join(root, "usr", name), exist_ok=True)
        os.symlink(f"usr/{name}", os.path.join(root, name))
    for deb in glob.glob(os.path.join(folder, "archives", "*.deb")) + [name for name in packages if name.endswith(".deb")]:
        tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", root, "--keep-directory-symlink"], stdin=tar.stdout, check=True)
        tar.stdout.close()
        assert tar.wait() == 0
    for name in ("dev", "proc", "tmp", "opt"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    return root


def inside(root, *command):
    """A process whose root is the folder: it has /proc and /dev, and nothing else of this machine but its network."""
    script = 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" "$@"'
    environment = {"HOME": "/tmp", "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    return subprocess.Popen(["unshare", "--mount", "sh", "-c", script, root, *command], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=environment)
