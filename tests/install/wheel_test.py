#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What tools/python/build-wheel makes: the source distribution, and a wheel that
works in an empty virtual environment and has what its types say.

    wheel_test.py [DIRECTORY] [unittest options]

DIRECTORY has a wheel for this Python, and the source distribution. Without it, the
test makes both. Needs no network after tools/lib/wheel_environment.sh has run.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = SOURCE / "build/wheel" / sys.implementation.cache_tag
MADE = None
# Libraries that manylinux lets a wheel take from the system (PEP 600), and the
# loader.
SYSTEM = re.compile(r"(libc|libm|libdl|librt|libpthread|libresolv|libstdc\+\+|libgcc_s|libz|"
                    r"ld-linux-[\w-]+|libnss_\w+|libexpat|libutil)\.so(\.\d+)*$")


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}{done.stderr}")
    return done.stdout


class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (ENVIRONMENT / "complete").exists():
            raise unittest.SkipTest("run tools/lib/wheel_environment.sh first")
        cls.work = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.work)
        made = MADE
        if not made:
            made = cls.work / "made"
            # Built as tools/quickstart builds: what is tested is the packing.
            run(SOURCE / "tools/python/build-wheel", "--python", sys.executable, made,
                env=os.environ | {"CMAKE_ARGS": "-DZPACK_QUICK_BUILD=ON"})
        version = "".join(map(str, sys.version_info[:2]))
        (cls.sdist,) = made.glob("zpack-*.tar.gz")
        (cls.wheel,) = made.glob(f"zpack-*-cp{version}-*.whl")
        cls.venv = cls.work / "venv"
        run(sys.executable, "-m", "venv", "--without-pip", cls.venv)
        cls.pip("--no-deps", cls.wheel)
        (cls.site,) = cls.venv.glob("lib/python3*/site-packages")
        cls.repository = cls.work / "repository"
        cls.repository.mkdir()
        (cls.repository / "file").write_text("content\n" * 1000)
        git = ("git", "-C", cls.repository, "-c", "user.name=A", "-c", "user.email=a@example.com")
        run(*git, "init", "-q")
        run(*git, "add", ".")
        run(*git, "commit", "-q", "-m", "first")
        run(*git, "tag", "-a", "-m", "v1", "v1")

    @classmethod
    def pip(cls, *arguments):
        """Installs into the virtual environment; no index is asked."""
        run(ENVIRONMENT / "bin/pip", "--python", cls.venv / "bin/python", "install", "-q",
            "--no-index", *arguments)

    def test_source_has_what_the_build_needs(self):
        with tarfile.open(self.sdist) as packed:
            members = packed.getmembers()
            top = {one.name.split("/")[1] for one in members}
            self.assertEqual(top, {"CMakeLists.txt", "LICENSE", "PKG-INFO", "README.md", "include",
                                   "pyproject.toml", "src", "third_party", "tools"})
            folders = {one.name.split("/")[2] for one in members if "/tools/" in one.name}
            self.assertEqual(folders, {"python"})
            for one in members:
                self.assertTrue(one.isfile(), one.name)
                packed.extractfile(one).read().decode()  # No binaries.
        names = {pathlib.PurePath(one.name).name for one in members}
        self.assertFalse(names & {"build-wheel", "add_licences.py"})
        self.assertLess(self.sdist.stat().st_size, 1 << 20)

    def test_wheel_has_libraries_with_licences(self):
        with zipfile.ZipFile(self.wheel) as packed:
            names = set(packed.namelist())
            (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
            info = metadata.removesuffix("METADATA")
            fields = packed.read(metadata).decode()
            texts = [packed.read(name).decode() for name in names if "/licenses/" in name]
        self.assertLessEqual(
            {"zpack/__init__.py", "zpack/_zpack.pyi", "zpack/py.typed", "zpack/fsspec.py"}, names)
        libraries = {pathlib.PurePath(name).name.split("-")[0] for name in names
                     if name.startswith("zpack.libs/")}
        for needed in ("libgit2", "libcrypto", "libcurl", "libzstd", "libdeflate", "libxxhash"):
            self.assertIn(needed, libraries)
        listed = set(re.findall(r"(?m)^License-File: (.*)$", fields))
        self.assertEqual({info + "licenses/" + name for name in listed},
                         {name for name in names if "/licenses/" in name})
        packages = {name.split("/")[0] for name in listed}
        self.assertLessEqual({"LICENSE", "pybind11", "common-licenses"}, packages)
        for needed in ("libgit2", "libssl", "libcurl", "libzstd", "libdeflate", "libxxhash"):
            self.assertTrue(any(name.startswith(needed) for name in packages), needed)
        # Texts that a licence refers to are there as well.
        for name in set(re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", "\n".join(texts))):
            self.assertIn(f"common-licenses/{name}", listed)
        self.assertLess(self.wheel.stat().st_size, 20 << 20)

    def test_wheel_needs_no_other_library(self):
        tag = re.search(r"manylinux_2_(\d+)_", self.wheel.name)
        self.assertTrue(tag, self.wheel.name)
        shown = run(ENVIRONMENT / "bin/auditwheel", "show", self.wheel)
        self.assertIn(f'consistent with the following platform tag: "{tag[0]}',
                      " ".join(shown.split()))
        if "bookworm" in pathlib.Path("/etc/os-release").read_text():
            self.assertLessEqual(int(tag[1]), 36)

    def use(self):
        directory = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        return run(self.venv / "bin/python", "-I", pathlib.Path(__file__).parent / "wheel_use.py",
                   self.repository, directory, env={"HOME": str(directory)})

    def test_empty_environment(self):
        printed = self.use()
        self.assertNotIn("with fsspec", printed)
        self.assertIn("4 objects", printed)
        mapped = re.findall(r"(?m)^mapped (.*)$", printed)
        self.assertTrue(any("/zpack.libs/libgit2" in one for one in mapped), printed)
        foreign = [one for one in mapped if not one.startswith(str(self.site)) and
                   "/lib-dynload/" not in one and not SYSTEM.search(one) and
                   not one.startswith(sys.base_prefix + "/lib/libpython")]
        # Python's own modules load the system's.
        own = run(sys.executable, "-I", "-c", "import fcntl, socket, ssl, hashlib, ctypes, zlib\n"
                  "print(open('/proc/self/maps').read())")
        self.assertEqual([one for one in foreign if one not in own], [])

    def test_extra_of_fsspec(self):
        self.pip("--find-links", ENVIRONMENT / "wheels", "--find-links", self.wheel.parent,
                 "zpack[fsspec]")
        self.assertIn("with fsspec", self.use())
        run(ENVIRONMENT / "bin/pip", "--python", self.venv / "bin/python", "uninstall", "-q", "-y",
            "fsspec")

    def test_types(self):
        tests = SOURCE / "tests/python"
        settings = tests / "mypy.ini"
        cache = self.work / "mypy"
        environment = os.environ | {"PYTHONPATH": str(self.site), "MYPYPATH": str(self.site)}
        run(ENVIRONMENT / "bin/mypy", "--config-file", settings, "--cache-dir", cache,
            "-p", "zpack", env=environment)
        run(ENVIRONMENT / "bin/mypy", "--config-file", settings, "--cache-dir", cache,
            tests / "typed_use.py", env=environment)
        # What the stubs say and what the compiled module has.
        run(ENVIRONMENT / "bin/python", "-m", "mypy.stubtest", "zpack._zpack",
            "--mypy-config-file", settings, "--allowlist", tests / "stubtest_allowlist.txt",
            "--ignore-unused-allowlist", env=environment, cwd=self.work)


class PackagesTest(unittest.TestCase):
    """tools/python/add_licences.py with a database of packages for two architectures."""

    def test_package_of_this_architecture(self):
        architecture = sysconfig.get_config_var("MULTIARCH")
        with tempfile.TemporaryDirectory() as directory:
            query = pathlib.Path(directory) / "dpkg-query"
            query.write_text(
                "#!/bin/sh\n"
                'if [ "$1 $4" = "-W one:this" ]; then printf 1.2-3; exit; fi\n'
                f"for line in one:that:/aaa/libone.so.1 one:this:/{architecture}/libone.so.1; do\n"
                '  case ${line##*:} in $2) echo "${line%:*}: ${line##*:}" ;; esac\n'
                "done\n")
            query.chmod(0o755)
            printed = run(sys.executable, "-B", "-c", "import add_licences, pathlib\n"
                          "print(add_licences.package_of(pathlib.Path('libone-0123abcd.so.1')))",
                          env={"PYTHONPATH": str(SOURCE / "tools/python"),
                               "PATH": f"{directory}:{os.environ['PATH']}"})
        self.assertEqual(printed, "('one', '1.2-3')\n")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith(("-", "WheelTest")):
        MADE = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
