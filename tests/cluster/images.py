"""Builds the images that the pods run: those of deploy/docker/Dockerfile, Envoy's, and the one that holds a pod's network.

The base is a Debian that debootstrap unpacks once into the cache. Of the Dockerfile the first stage is left out: its
result, the folder /stage, comes from the programs that the tests are about.
"""

import fcntl
import os
import shutil
import subprocess
import sys

from parts import CACHE, ROOT, program

PAUSE = "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n"
BASE = "localhost/base"


class Builder:
    """Works in an empty folder, and leaves the files of the images there."""

    def __init__(self, folder):
        self.folder = folder
        self.options = [f"--root={folder}/storage", f"--runroot={folder}/runroot", "--storage-driver=vfs"]

    def buildah(self, *arguments):
        run("buildah", *self.options, *arguments)

    def build(self, context, *arguments):
        self.buildah("bud", "--isolation=chroot", "--ulimit=nofile=1024:1024", *arguments, context)

    def context(self, name, dockerfile, **files):
        """A folder with a Dockerfile and files."""
        context = os.path.join(self.folder, name)
        os.makedirs(context)
        with open(os.path.join(context, "Dockerfile"), "w", encoding="utf-8") as file:
            file.write(dockerfile)
        for target, source in files.items():
            shutil.copy(source, os.path.join(context, target))
        return context

    def save(self, image, tag):
        """The file of an image, under the name by which pods call it."""
        path = os.path.join(self.folder, tag.replace("/", "-").replace(":", "-") + ".tar")
        self.buildah("push", "--quiet", image, f"docker-archive:{path}:docker.io/{tag}")

    def make_base(self):
        self.build(self.context("base", "FROM scratch\nADD base.tar /\n", **{"base.tar": base_of_debian()}), f"--tag={BASE}")

    def server_and_client(self, binaries):
        """aaren-server and aaren-client of these programs."""
        docker = os.path.join(ROOT, "deploy", "docker")
        stage = os.path.join(self.folder, "build", "stage")
        subprocess.run([os.path.join(docker, "stage"), binaries, os.path.join(ROOT, "model", "bundled"), stage], check=True)
        for target in ("server", "client"):
            self.build(docker, f"--file={docker}/Dockerfile", f"--build-arg=BASE={BASE}", f"--target={target}",
                       f"--build-context=build={self.folder}/build", f"--tag=localhost/{target}")
            self.save(f"localhost/{target}", f"library/aaren-{target}:0.1.0")

    def server_with_cuda(self, binaries):
        """The server's image, and the library for GPUs beside these programs."""
        docker = os.path.join(ROOT, "deploy", "docker")
        library = os.path.join(os.path.dirname(binaries), "lib", "libaaren_engine_cuda.so")
        folder = os.path.join(self.folder, "build-cuda", "stage")
        os.makedirs(folder)
        shutil.copy(library, folder)
        self.build(docker, f"--file={docker}/Dockerfile", f"--build-arg=BASE={BASE}", "--target=server-cuda",
                   f"--build-context=build={self.folder}/build", f"--build-context=build-cuda={self.folder}/build-cuda",
                   "--tag=localhost/server-cuda")
        self.save("localhost/server-cuda", "library/aaren-server:0.1.0-cuda")

    def envoy(self):
        context = self.context("envoy", f"FROM {BASE}\nCOPY --chmod=755 envoy /usr/local/bin/\nUSER 65532:65532\n"
                               "ENTRYPOINT [\"envoy\"]\n", envoy=program("envoy"))
        self.build(context, "--tag=localhost/envoy")
        self.save("localhost/envoy", "envoyproxy/envoy:distroless-v1.40.0")

    def pause(self):
        context = self.context("pause", "FROM scratch\nCOPY pause /\nENTRYPOINT [\"/pause\"]\n")
        subprocess.run([program("gcc"), "-static", "-Os", "-x", "c", "-", "-o", os.path.join(context, "pause")], check=True,
                       input=PAUSE, text=True)
        self.build(context, "--tag=localhost/pause")
        self.save("localhost/pause", "library/pause:1")

    def forget(self):
        """All but the files of the images."""
        self.buildah("rmi", "--all", "--force")


def run(*command):
    done = subprocess.run([program(command[0]), *command[1:]], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def base_of_debian():
    """The file of a minimal Debian, made once."""
    path = os.path.join(CACHE, "debian-bookworm.tar")
    with open(os.path.join(CACHE, "debian-bookworm.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(path):
            folder = f"{path}.folder"
            shutil.rmtree(folder, ignore_errors=True)
            run("debootstrap", "--variant=minbase", "bookworm", folder)
            run("tar", "--create", f"--directory={folder}", "--exclude=./dev/*", "--exclude=./var/cache/apt/archives/*.deb",
                f"--file={path}.partial", ".")
            shutil.rmtree(folder)
            os.rename(f"{path}.partial", path)
    return path


def main(binaries, folder):
    builder = Builder(folder)
    builder.make_base()
    builder.server_and_client(binaries)
    builder.server_with_cuda(binaries)
    builder.envoy()
    builder.pause()
    builder.forget()


if __name__ == "__main__":
    main(*sys.argv[1:])
