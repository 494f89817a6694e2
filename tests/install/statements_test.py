#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""tools/packaging/statements.py says what is in packages and what they were made
of: over small packages, with the fields that CycloneDX 1.6, in-toto Statement 1 and
SLSA provenance 1 require.

    statements_test.py [unittest options]
"""

import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DATE = 1_700_000_000
PURL = re.compile(r"pkg:(deb/[a-z]+/[a-z0-9%A-F.-]+@[A-Za-z0-9%.:~-]+\?arch=\w+&distro=[\w.-]+"
                  r"|npm/[a-z0-9-]+@[0-9.]+)")


def run(*command, check=True, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class StatementsTest(unittest.TestCase):
    """A clone of the parts of the sources that the script reads, and packages of
    its version."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("dpkg-deb"):
            raise unittest.SkipTest("no dpkg")
        text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
        cls.version = re.search(r"(?m)^project\(zpack VERSION ([0-9.]+)", text)[1]
        cls.architecture = run("dpkg", "--print-architecture").stdout.strip()

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)
        self.clone = self.directory / "clone"
        for name in ("CMakeLists.txt", ".gitattributes", "tools/lib/packages.sh",
                     "tools/packaging/statements.py", "tools/packaging/source-date",
                     "tools/report/package-lock.json"):
            (self.clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / name, self.clone / name)
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        self.packages = self.directory / "packages"
        self.packages.mkdir()
        self.make_debian("libzpack0", "libc6 (>= 2.34), libzstd1 (>= 1.5.2)")
        self.make_debian("git-zpack", "libc6, libzstd1, libnone9 | libc6, libzpack0 (= 1)")
        self.make_archive()
        # What does not belong to this version or system.
        shutil.copy(next(self.packages.glob("git-zpack_*.deb")),
                    self.packages / f"git-zpack_0.0.1-0zpack1_{self.architecture}.deb")
        self.build = self.directory / "build"
        modules = self.build / "page/node_modules/d3-shape"
        modules.mkdir(parents=True)
        libraries = f"/usr/lib/{run('gcc', '-print-multiarch').stdout.strip()}"
        (self.build / "CMakeCache.txt").write_text(
            f"ZPACK_STATIC_zstd:FILEPATH={libraries}/libzstd.a\n"
            "ZPACK_STATIC_z-ADVANCED:INTERNAL=1\n"
            "ZPACK_STATIC_fmt:FILEPATH=ZPACK_STATIC_fmt-NOTFOUND\n"
            f"pkgcfg_lib_ZPACK_fmt_fmt:FILEPATH={libraries}/libfmt.so\n"
            f"ZPACK_CURL_FILE:FILEPATH={libraries}/libcurl.so.4\n"
            "nlohmann_json_DIR:PATH=/usr/share/cmake/nlohmann_json\n"
            f"ZPACK_PAGE_PACKAGES:PATH={self.build}/page\n", encoding="utf-8")

    def git(self, *arguments, cwd=None):
        variables = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null",
                     "GIT_CONFIG_NOSYSTEM": "1"}
        for who in ("AUTHOR", "COMMITTER"):
            variables |= {f"GIT_{who}_NAME": "A", f"GIT_{who}_EMAIL": "a@example.com",
                          f"GIT_{who}_DATE": f"{DATE} +0000"}
        return run("git", *arguments, cwd=cwd or self.clone, env=variables).stdout

    def make_debian(self, name, depends):
        tree = self.directory / name
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: {self.version}-0zpack1\n"
            f"Architecture: {self.architecture}\nMaintainer: A <a@example.com>\n"
            f"Depends: {depends}\nDescription: none\n", encoding="utf-8")
        file = f"{name}_{self.version}-0zpack1_{self.architecture}.deb"
        run("dpkg-deb", "--root-owner-group", "--build", tree, self.packages / file)

    def make_archive(self):
        self.stem = f"git-zpack-{self.version}-linux-{platform.machine()}"
        with tarfile.open(self.packages / f"{self.stem}.tar.gz", "w:gz") as tar:
            tar.add(shutil.which("true"), f"{self.stem}/bin/git-zpack")

    def pack_source(self):
        name = f"git-zpack-{self.version}"
        with open(self.packages / f"{name}.tar.gz", "wb") as file:
            file.write(subprocess.run(
                ["git", "-C", self.clone, "archive", "--format=tar.gz", f"--prefix={name}/",
                 "HEAD"], check=True, capture_output=True).stdout)
        return name

    def state(self, clone=None, check=True, **variables):
        clone = clone or self.clone
        kept = {name: value for name, value in os.environ.items()
                if name not in ("SOURCE_DATE_EPOCH", "ZPACK_BUILDER")}
        return run(clone / "tools/packaging/statements.py", "--build", self.build, self.packages,
                   check=check, env=kept | variables |
                   {"GIT_CEILING_DIRECTORIES": str(self.directory)})

    def read(self, kind):
        return json.loads((self.packages / f"{self.stem}.{kind}.json").read_text(encoding="utf-8"))

    def files(self):
        return {path.name: sha256(path) for path in self.packages.iterdir()
                if path.name.startswith((f"git-zpack-{self.version}", "libzpack0")) and
                path.suffix != ".json" or path.name.startswith(f"git-zpack_{self.version}")}

    def test_bill_of_materials(self):
        self.pack_source()
        self.state()
        bill = self.read("cdx")
        self.assertEqual((bill["bomFormat"], bill["specVersion"], bill["version"]),
                         ("CycloneDX", "1.6", 1))
        self.assertRegex(bill["serialNumber"], r"\Aurn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-"
                         r"[0-9a-f]{12}\Z")
        self.assertEqual(bill["metadata"]["timestamp"], "2023-11-14T22:13:20Z")
        self.assertEqual(bill["metadata"]["component"]["version"], self.version)
        hashes = {row["name"]: row["hashes"][0]["content"] for row in bill["components"]
                  if row["type"] == "file"}
        self.assertEqual(hashes, self.files())
        references = [row["bom-ref"] for row in bill["components"]]
        self.assertEqual(len(references), len(set(references)))
        for row in bill["components"]:
            if row["type"] == "library":
                self.assertRegex(row["purl"], rf"\A(?:{PURL.pattern})\Z")
                self.assertEqual(row["purl"], row["bom-ref"])
            for licence in row.get("licenses", ()):
                self.assertEqual(licence["license"]["acknowledgement"], "declared")
                self.assertEqual(len({"id", "name"} & set(licence["license"])), 1)
        known = set(references) | {bill["metadata"]["component"]["bom-ref"]}
        for row in bill["dependencies"]:
            self.assertLessEqual({row["ref"], *row.get("dependsOn", ())}, known)

    def parts(self, file):
        bill = self.read("cdx")
        names = {row["bom-ref"]: row["name"] for row in bill["components"]}
        (row,) = (row for row in bill["dependencies"] if row["ref"] == file)
        return {names[reference] for reference in row.get("dependsOn", ())}

    def test_parts_of_each_package(self):
        self.state()
        library = f"libzpack0_{self.version}-0zpack1_{self.architecture}.deb"
        self.assertEqual(self.parts(library), {"libc6", "libzstd1"})
        page = {"d3-hierarchy", "d3-path", "d3-shape"}
        self.assertEqual(self.parts(f"git-zpack_{self.version}-0zpack1_{self.architecture}.deb"),
                         {"libc6", "libzstd1", library, "nlohmann-json3-dev"} | page)
        archive = self.parts(f"{self.stem}.tar.gz")
        compiler = {name for name in archive if re.fullmatch(r"lib(gcc|stdc\+\+)-\d+-dev", name)}
        self.assertEqual(len(compiler), 2, archive)
        curl = {name for name in archive if name.startswith("libcurl4")}
        self.assertEqual(len(curl), 1, archive)
        self.assertEqual(archive - compiler - curl,
                         {"libc6", "libzstd-dev", "libfmt-dev", "nlohmann-json3-dev"} | page)

    def test_packages_for_another_architecture(self):
        # As in a root of tools/dev/on-system.
        own = f"{self.stem}.tar.gz"
        machine = "aarch64" if platform.machine() == "s390x" else "s390x"
        self.stem = f"git-zpack-{self.version}-linux-{machine}"
        (self.packages / own).rename(self.packages / f"{self.stem}.tar.gz")
        # A cross compiler, whose libraries are packages for every machine.
        compiler = self.directory / "cross-c++"
        compiler.write_text("#!/bin/sh\necho /usr/bin/dpkg-architecture\n", encoding="utf-8")
        compiler.chmod(0o755)
        (self.build / "CMakeFiles/3.25.1").mkdir(parents=True)
        (self.build / "CMakeFiles/3.25.1/CMakeCXXCompiler.cmake").write_text(
            f'set(CMAKE_CXX_COMPILER "{compiler}")\n', encoding="utf-8")
        self.state(DEB_HOST_ARCH={"aarch64": "arm64"}.get(machine, machine),
                   DEB_HOST_GNU_TYPE=f"{machine}-linux-gnu")
        self.assertEqual([row["name"] for row in self.read("provenance")["subject"]],
                         [f"{self.stem}.tar.gz"])
        self.assertIn("dpkg-dev", self.parts(f"{self.stem}.tar.gz"))
        definition = self.read("provenance")["predicate"]["buildDefinition"]
        self.assertIn("cmake", {row["name"] for row in definition["resolvedDependencies"]})

    def test_versions_and_licences_are_those_of_dpkg(self):
        self.state()
        rows = {row["name"]: row for row in self.read("cdx")["components"]}
        for name in ("libzstd1", "libc6", "nlohmann-json3-dev"):
            self.assertEqual(rows[name]["version"],
                             run("dpkg-query", "-W", "-f", "${Version}", name).stdout)
        self.assertEqual(rows["nlohmann-json3-dev"]["licenses"][0]["license"]["id"], "MIT")
        self.assertEqual(rows["d3-shape"]["licenses"][0]["license"]["id"], "ISC")
        self.assertRegex(rows["d3-shape"]["hashes"][0]["content"], r"\A[0-9a-f]{128}\Z")

    def test_provenance(self):
        self.pack_source()
        self.state()
        statement = self.read("provenance")
        self.assertEqual(set(statement), {"_type", "subject", "predicateType", "predicate"})
        self.assertEqual(statement["_type"], "https://in-toto.io/Statement/v1")
        self.assertEqual(statement["predicateType"], "https://slsa.dev/provenance/v1")
        self.assertEqual({row["name"]: row["digest"]["sha256"] for row in statement["subject"]},
                         self.files())
        definition = statement["predicate"]["buildDefinition"]
        self.assertRegex(definition["buildType"], r"\A[a-z]+:")
        self.assertIsInstance(definition["externalParameters"], dict)
        self.assertEqual(definition["internalParameters"]["SOURCE_DATE_EPOCH"], DATE)
        materials = {row["name"]: row for row in definition["resolvedDependencies"]}
        self.assertEqual(materials["git-zpack.git"]["digest"],
                         {"gitCommit": self.git("rev-parse", "HEAD").strip()})
        source = f"git-zpack-{self.version}.tar.gz"
        self.assertEqual(materials[source]["digest"], {"sha256": self.files()[source]})
        self.assertLessEqual({"cmake", "g++", "libzstd-dev", "libzstd1"}, set(materials))
        for row in definition["resolvedDependencies"]:
            self.assertTrue({"uri", "digest", "content"} & set(row), row)
        details = statement["predicate"]["runDetails"]
        self.assertRegex(details["builder"]["id"], r"\A[a-z]+:")
        (bill,) = details["byproducts"]
        self.assertEqual(bill["digest"]["sha256"], sha256(self.packages / bill["name"]))

    def test_the_builder_can_be_named(self):
        self.state(ZPACK_BUILDER="https://example.com/ci")
        self.assertEqual(self.read("provenance")["predicate"]["runDetails"]["builder"],
                         {"id": "https://example.com/ci"})

    def test_the_same_bytes_from_a_clone_and_from_the_packed_source(self):
        name = self.pack_source()
        self.state()
        first = [path.read_bytes() for path in sorted(self.packages.glob("*.json"))]
        self.assertEqual(len(first), 2)
        with tarfile.open(self.packages / f"{name}.tar.gz") as tar:
            tar.extractall(self.directory / "unpacked")
        self.state(self.directory / "unpacked" / name, TZ="Asia/Kathmandu")
        self.assertEqual([path.read_bytes() for path in sorted(self.packages.glob("*.json"))],
                         first)

    def test_the_date_can_be_set(self):
        self.state(SOURCE_DATE_EPOCH="0")
        self.assertEqual(self.read("cdx")["metadata"]["timestamp"], "1970-01-01T00:00:00Z")

    def test_a_changed_work_tree_has_no_provenance(self):
        self.state()
        (self.clone / "new").write_text("", encoding="utf-8")
        done = self.state()
        self.assertIn("no provenance statement", done.stderr)
        self.assertEqual([path.name for path in self.packages.glob("*.json")],
                         [f"{self.stem}.cdx.json"])

    def test_no_packages(self):
        for path in self.packages.iterdir():
            path.unlink()
        done = self.state(check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no packages of", done.stderr)


if __name__ == "__main__":
    unittest.main()
