#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""The recipes for other packagers in tools/packaging agree with the project:
version, licence, the libraries of third_party/dependencies.cmake, and the files
that are installed. Each is also read by the program it is written for, if that is
on this machine; a line says which one is not. The same for tools/Dockerfile.

    recipes_test.py BUILD_DIRECTORY [unittest options]
"""

import fnmatch
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = SOURCE / "tools/packaging"
BUILD = None

HOMEBREW = PACKAGING / "homebrew/git-zpack.rb"
NIX = PACKAGING / "nix/package.nix"
CONDA = PACKAGING / "conda-forge/recipe.yaml"
ARCH = PACKAGING / "arch/PKGBUILD"
FEDORA = PACKAGING / "fedora/git-zpack.spec"
RECIPES = (HOMEBREW, NIX, CONDA, ARCH, FEDORA)

# The names of the libraries of dependencies.cmake; a new one fails until it has
# a row here and a line in each recipe.
NAMES = {
    # library: (Homebrew, Nix, conda-forge, Arch, Fedora)
    "fmt": ("fmt", "fmt", "fmt", "fmt", "pkgconfig(fmt)"),
    "xxhash": ("xxhash", "xxHash", "xxhash", "xxhash", "pkgconfig(libxxhash)"),
    "crypto": ("openssl@3", "openssl", "openssl", "openssl", "pkgconfig(libcrypto)"),
    "curl": ("curl", "curl", "libcurl", "curl", "pkgconfig(libcurl)"),
    "zstd": ("zstd", "zstd", "zstd", "zstd", "pkgconfig(libzstd)"),
    "zlib": ("zlib-ng-compat", "zlib", "zlib", "zlib", "pkgconfig(zlib)"),
    "libdeflate": ("libdeflate", "libdeflate", "libdeflate", "libdeflate",
                   "pkgconfig(libdeflate)"),
    "pcre2": ("pcre2", "pcre2", "pcre2", "pcre2", "pkgconfig(libpcre2-8)"),
    "libgit2": ("libgit2", "libgit2", "libgit2", "libgit2", "pkgconfig(libgit2)"),
    "Boost": ("boost", "boost", "libboost-devel", "boost", "boost-devel"),
    "nlohmann_json": ("nlohmann-json", "nlohmann_json", "nlohmann_json", "nlohmann-json",
                      "cmake(nlohmann_json)"),
}


def read(path):
    return path.read_text(encoding="utf-8")


def version():
    return re.search(r"(?m)^project\(zpack VERSION ([0-9.]+)", read(SOURCE / "CMakeLists.txt"))[1]


def libraries():
    """The libraries that every build needs, with their oldest versions."""
    text = read(SOURCE / "third_party/dependencies.cmake")
    always = text[:text.index("\nif(ZPACK_MOUNT)")]
    found = dict(re.findall(r"(?m)^zpack_dependency\((\S+) \S+ (\S+) \S+\)$", always))
    packages = re.findall(r"(?m)^ *find_package\((\S+) ([0-9.]+) ", always)
    return found | dict(packages)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)


def of_pkgbuild(name):
    """The value or the values of a variable of the PKGBUILD."""
    done = run("bash", "-euc", f'source "$0"; printf "%s\\n" "${{{name}[@]}}"', ARCH)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.splitlines()


def build_requires():
    """What the spec needs, with the oldest version or ''."""
    return dict(re.findall(r"(?m)^BuildRequires:\s+(\S+)(?: >= (\S+))?$", read(FEDORA)))


def nix_list(name):
    return re.search(rf"(?s)\b{name} = \[(.*?)\]", read(NIX))[1].split()


def requirements(recipe):
    """Everything that is needed to build, by the names of the system."""
    if recipe == HOMEBREW:
        return set(re.findall(r'(?m)^  depends_on "([^"]+)"', read(HOMEBREW)))
    if recipe == NIX:
        return set(nix_list("nativeBuildInputs") + nix_list("buildInputs"))
    if recipe == CONDA:
        needs = yaml.safe_load(read(CONDA))["requirements"]
        return {name for name in needs["build"] + needs["host"] + needs["run"]
                if not name.startswith("${{")}
    if recipe == ARCH:
        return set(of_pkgbuild("depends") + of_pkgbuild("makedepends"))
    return set(build_requires())


class AgreementTest(unittest.TestCase):
    def test_versions(self):
        told = {
            HOMEBREW: re.search(r'url ".*/git-zpack-([0-9.]+)\.tar\.gz"', read(HOMEBREW))[1],
            NIX: re.search(r'\bversion = "(.*)"', read(NIX))[1],
            CONDA: yaml.safe_load(read(CONDA))["context"]["version"],
            ARCH: of_pkgbuild("pkgver")[0],
            FEDORA: re.search(r"(?m)^Version:\s+(\S+)$", read(FEDORA))[1],
        }
        self.assertEqual(told, dict.fromkeys(RECIPES, version()))
        newest = re.search(r"(?m)^%changelog\n\* .* - (\S+)-\d+$", read(FEDORA))[1]
        self.assertEqual(newest, version())

    def test_licences(self):
        told = {
            HOMEBREW: re.search(r'\blicense "(.*)"', read(HOMEBREW))[1],
            NIX: re.search(r"\blicense = lib\.licenses\.(\w+);", read(NIX))[1],
            CONDA: yaml.safe_load(read(CONDA))["about"]["license"],
            ARCH: of_pkgbuild("license")[0],
            FEDORA: re.search(r"(?m)^License:\s+(\S+)$", read(FEDORA))[1],
        }
        self.assertEqual(told, dict.fromkeys(RECIPES, "Apache-2.0") | {NIX: "asl20"})

    def test_every_library_is_named(self):
        self.assertEqual(set(NAMES), set(libraries()))
        for column, recipe in enumerate(RECIPES):
            needed = {row[column] for row in NAMES.values()}
            self.assertEqual(needed - requirements(recipe), set(), recipe)

    def test_nothing_else_is_named(self):
        tools = {
            HOMEBREW: {"cmake", "ninja", "pkgconf", "git"},
            NIX: {"cmake", "ninja", "pkg-config"},
            CONDA: {"cmake", "ninja", "pkg-config", "git"},
            # Its group base-devel has pkgconf.
            ARCH: {"cmake", "ninja", "boost-libs", "gcc-libs", "glibc"},
            FEDORA: {"cmake", "ninja-build", "pkgconf-pkg-config", "gcc-c++", "git-core",
                     "intel-ipsec-mb-devel"},
        }
        for column, recipe in enumerate(RECIPES):
            known = {row[column] for row in NAMES.values()} | tools[recipe]
            self.assertEqual(requirements(recipe) - known, set(), recipe)

    def test_arguments_of_the_derivation_are_those_it_uses(self):
        arguments = re.search(r"(?s)^\{\n(.*?)\n\}:", read(NIX), re.M)[1]
        names = set(re.findall(r"[\w-]+", arguments))
        self.assertEqual(names, {"lib", "stdenv", "fetchurl", "git", "intel-ipsec-mb"} |
                         requirements(NIX))

    def test_oldest_versions(self):
        told = build_requires()
        for library, oldest in libraries().items():
            self.assertEqual(told[NAMES[library][-1]], oldest, library)
        text = read(SOURCE / "CMakeLists.txt")
        self.assertEqual(told["cmake"],
                         re.search(r"cmake_minimum_required\(VERSION (\S+)\)", text)[1])

    def test_options_exist(self):
        text = read(SOURCE / "CMakeLists.txt")
        for recipe in RECIPES:
            names = re.findall(r'(?:-D|cmake\w+ ")(ZPACK_\w+)', read(recipe))
            self.assertEqual(names, ["ZPACK_TESTS"], recipe)
            for name in names:
                self.assertIn(f"option({name} ", text)

    def test_address_and_hash_are_to_be_filled_in(self):
        for recipe in RECIPES:
            hosts = set(re.findall(r"https?://([^/\s\"']+)", read(recipe)))
            self.assertEqual(hosts - {"raw.githubusercontent.com"}, {"users.invalid"}, recipe)
            # Fedora has hashes in a file of its own.
            self.assertEqual(("0" * 64) in read(recipe), recipe != FEDORA, recipe)

    def test_the_page_names_every_recipe(self):
        page = read(PACKAGING / "README.md")
        for recipe in RECIPES:
            self.assertIn(f"`{recipe.relative_to(PACKAGING)}`", page)


class FillTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.archive = self.directory / "source.tar.gz"
        self.archive.write_bytes(b"source")

    def fill(self, address):
        return run(PACKAGING / "fill-recipes", "--homepage", "https://example.com/home",
                   "--source", address, self.archive, self.directory / "filled")

    def test_address_and_hash(self):
        name = f"git-zpack-{version()}.tar.gz"
        done = self.fill(f"https://example.com/files/{name}")
        self.assertEqual(done.returncode, 0, done.stderr)
        # The mail address of Arch's and Fedora's maintainers; conda-forge's user.
        self.assertEqual(len(done.stdout.splitlines()), 3, done.stdout)
        digest = hashlib.sha256(b"source").hexdigest()
        for recipe in RECIPES:
            text = read(self.directory / "filled" / recipe.relative_to(PACKAGING))
            self.assertNotIn("//users.invalid", text)
            self.assertIn("https://example.com/files/", text)
            self.assertIn("https://example.com/home", text)
            self.assertEqual(digest in text, recipe != FEDORA, recipe)
            self.assertNotIn("0" * 64, text)

    def test_another_version_is_refused(self):
        done = self.fill("https://example.com/files/git-zpack-0.0.1.tar.gz")
        self.assertEqual(done.returncode, 2)
        self.assertIn("does not end with", done.stderr)
        self.assertFalse((self.directory / "filled").exists())


class FilesTest(unittest.TestCase):
    """The lists of the spec are those of what is installed."""

    def installed(self):
        root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, root)
        done = run("cmake", "--install", BUILD, "--prefix", "/usr",
                   env=os.environ | {"DESTDIR": str(root)})
        self.assertEqual(done.returncode, 0, done.stderr)
        names = ["/" + path.relative_to(root).as_posix() for path in root.rglob("*")
                 if path.is_symlink() or not path.is_dir()]
        # The recipes do not set ZPACK_MOUNT.
        names = [name for name in names if name != "/usr/bin/git-zpack-mount"]
        (library,) = (name for name in names if name.endswith("/libzpack.so.0"))
        # Debian's directory of libraries has another name.
        directory = library.removesuffix("libzpack.so.0")
        return [name.replace(directory, "/usr/lib64/", 1) for name in names]

    def listed(self):
        macros = {"name": "git-zpack", "_bindir": "/usr/bin", "_datadir": "/usr/share",
                  "_docdir": "/usr/share/doc", "_mandir": "/usr/share/man",
                  "_includedir": "/usr/include", "_libdir": "/usr/lib64"}
        text = read(FEDORA)
        lists = text[text.index("\n%files\n"):text.index("\n%changelog\n")]
        lines = [line for line in lists.splitlines() if line and not line.startswith("%files")]
        return [re.sub(r"%\{(\w+)\}", lambda match: macros[match[1]], line)
                for line in lines if not line.startswith("%license")]

    def test_files(self):
        names = self.installed()
        patterns = [pattern + "*" if pattern.endswith("/") else pattern
                    for pattern in self.listed()]
        for pattern in patterns:
            self.assertTrue(fnmatch.filter(names, pattern), f"{pattern} is not installed")
        for name in names:
            matches = [pattern for pattern in patterns if fnmatch.fnmatchcase(name, pattern)]
            self.assertEqual(len(matches), 1, f"{name}: {matches}")


class DockerfileTest(unittest.TestCase):
    def setUp(self):
        text = re.sub(r"\\\n", " ", read(SOURCE / "tools/Dockerfile"))
        self.lines = [line for line in text.splitlines() if line and not line.startswith("#")]

    def stages(self):
        """The name, base and lines of each stage."""
        found = []
        for line in self.lines:
            words = line.split()
            if words[0] == "FROM":
                found.append((words[3] if len(words) > 2 else "", words[1], []))
            else:
                found[-1][2].append(line)
        return found

    def test_bases(self):
        self.assertEqual([(name, base) for name, base, _ in self.stages()],
                         [("build", "debian:trixie-slim"), ("program", "debian:trixie-slim"),
                          ("http", "program"), ("", "program")])

    def test_does_not_run_as_root(self):
        for name, _, lines in self.stages()[1:3]:
            users = [line for line in lines if line.startswith("USER ")]
            self.assertRegex(users[-1], r"\AUSER [1-9][0-9]*:[1-9][0-9]*\Z", name)
            after = lines[lines.index(users[-1]):]
            self.assertEqual([line for line in after if line.startswith("RUN ")], [], name)

    def test_copied_files_exist(self):
        for line in self.lines:
            if line.startswith("COPY "):
                for name in line.split()[1:-1]:
                    self.assertTrue((SOURCE / name).exists(), line)

    def test_names_no_machine(self):
        self.assertNotRegex(read(SOURCE / "tools/Dockerfile"),
                            r"(?i)x86|amd64|i386|aarch64|arm|--platform")

    def test_keeps_no_lists_of_packages(self):
        for name, _, lines in self.stages()[1:3]:
            (line,) = (line for line in lines if line.startswith("RUN "))
            self.assertIn("rm -rf /var/lib/apt/lists/*", line, name)
            self.assertIn("--no-install-recommends", line, name)


class ReadersTest(unittest.TestCase):
    """The programs for which the recipes are written."""

    def read_with(self, program, *arguments, **options):
        if not shutil.which(program):
            print(f"-- no {program}: it has not read {arguments[-1]}")
            self.skipTest(f"no {program}")
        done = run(program, *arguments, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_hadolint(self):
        self.read_with("hadolint", SOURCE / "tools/Dockerfile")

    def test_ruby(self):
        self.read_with("ruby", "-c", HOMEBREW)

    def test_nix(self):
        with tempfile.TemporaryDirectory() as home:
            self.read_with("nix-instantiate", "--parse", NIX, env=os.environ | {
                "HOME": home, "NIX_STATE_DIR": f"{home}/state", "NIX_STORE_DIR": f"{home}/store"})

    def test_bash(self):
        done = self.read_with("bash", "-n", ARCH)
        self.assertEqual(done.stderr, "")
        done = run("bash", "-euc", 'source "$0"; declare -F', ARCH)
        self.assertEqual(done.stdout.split(),
                         [word for name in ("build", "check", "package")
                          for word in ("declare", "-f", name)])

    def test_rpmspec(self):
        done = self.read_with("rpmspec", "-q", "--qf", "%{name} %{version} %{license}\n", FEDORA)
        self.assertEqual(done.stdout.splitlines(),
                         [f"{name} {version()} Apache-2.0" for name in
                          ("git-zpack", "git-zpack-libs", "git-zpack-devel")])

    def test_yaml(self):
        recipe = yaml.safe_load(read(CONDA))
        self.assertEqual(list(recipe), ["schema_version", "context", "package", "source", "build",
                                        "requirements", "tests", "about", "extra"])
        config = yaml.safe_load(read(CONDA.parent / "conda_build_config.yaml"))
        self.assertEqual(config, {"c_stdlib_version": ["2.28"]})


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
