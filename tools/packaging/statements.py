#!/usr/bin/env python3
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Writes two statements about the packages in a directory, beside them:

  git-zpack-VERSION-linux-MACHINE.cdx.json         what is in them: CycloneDX 1.6
  git-zpack-VERSION-linux-MACHINE.provenance.json  what they were made of: an
      in-toto Statement 1 with the SLSA predicate provenance 1

    statements.py --build DIRECTORY PACKAGES

DIRECTORY is that of the build. The libraries are those that the packages name,
that the programs of the archive need, and that were linked into them; dpkg has
their versions and licences. Nothing is signed. The same commit gives the same
bytes on the same system. If the work tree has changes, no commit describes the
packages, and no statement says what they were made of.

Environment:
  SOURCE_DATE_EPOCH  the date of the SBOM, by default that of the last commit
  ZPACK_BUILDER      a URI that names who runs the build, for the provenance
"""

import argparse
import base64
import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = "https://users.invalid/git-zpack"
# Debian's names of licences that are those of one SPDX identifier.
SPDX = {"expat": "MIT", "mit": "MIT", "apache-2.0": "Apache-2.0", "apache-2": "Apache-2.0",
        "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause", "zlib": "Zlib",
        "curl": "curl", "isc": "ISC", "bsl-1.0": "BSL-1.0", "gpl-2": "GPL-2.0-only",
        "gpl-2+": "GPL-2.0-or-later", "gpl-3+": "GPL-3.0-or-later",
        "lgpl-2.1": "LGPL-2.1-only", "lgpl-2.1+": "LGPL-2.1-or-later",
        "lgpl-3+": "LGPL-3.0-or-later"}
# Libraries of headers alone, which only the build knows: the variable of CMake
# with their directory, a file in it, and what they are compiled into.
HEADERS = (("nlohmann_json_DIR", "nlohmann_jsonConfig.cmake", ("git-zpack", "archive")),
           ("pybind11_DIR", "pybind11Config.cmake", ("python3-zpack",)))


def output(*command, default=None):
    """What the command prints; `default`, if there is one, when it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    if done.returncode == 0:
        return done.stdout.strip()
    if default is None:
        raise SystemExit(f"statements.py: {' '.join(map(str, command))}: {done.stderr.strip()}")
    return default


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"(?m)^project\(zpack VERSION ([0-9.]+)", text)[1]


class Source:
    """The commit that the packages are made of, which 'git archive' writes into
    the source, and its date."""

    def __init__(self):
        lines = (ROOT / "tools/packaging/source-date").read_text(encoding="utf-8")
        commit = re.search(r"(?m)^commit ([0-9a-f]{40,64})$", lines)
        date = re.search(r"(?m)^[0-9]+$", lines)
        self.changed = False
        if commit:
            self.commit = commit[1]
            self.date = int(date[0])
        else:
            git = ("git", "-C", ROOT)
            self.commit = output(*git, "rev-parse", "HEAD", default="")
            self.date = int(output(*git, "log", "-1", "--format=%ct", default="0"))
            self.changed = not self.commit or output(*git, "status", "--porcelain") != ""
        self.date = int(os.environ.get("SOURCE_DATE_EPOCH") or self.date)


class System:
    """Packages that are installed here."""

    def __init__(self):
        lines = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
        values = dict(re.findall(r'(?m)^(ID|VERSION_ID)="?([^"\n]*)"?$', lines))
        self.vendor = values["ID"]
        self.distribution = f"{values['ID']}-{values.get('VERSION_ID', 'unstable')}"
        # Those that were built for. With -f, since a variable of the environment
        # that names an architecture changes that one answer alone.
        self.architecture = output("dpkg-architecture", "-qDEB_HOST_ARCH")
        self.triplet, self.machine = (
            output("dpkg-architecture", "-f", f"-a{self.architecture}", f"-qDEB_HOST_{name}")
            for name in ("MULTIARCH", "GNU_CPU"))

        lines = output("dpkg-query", "-W", "-f",
                       "${db:Status-Status}\t${Package}\t${Version}\t${Architecture}\n")
        self.rows = {}
        self.tools = {}  # those of this machine
        machines = (output("dpkg-architecture", "-qDEB_BUILD_ARCH"), "all")
        for line in lines.splitlines():
            status, name, number, architecture = line.split("\t")
            if status == "installed" and architecture in (self.architecture, "all"):
                self.rows[name] = number, architecture
            if status == "installed" and architecture in machines:
                self.tools[name] = number, architecture

    def tool(self, name):
        """A component for a package with which packages are built."""
        return self.installed(name) or self.component(name, self.tools)

    def installed(self, name):
        """A component for the package; None if it is not installed."""
        return self.component(name, self.rows)

    def component(self, name, rows):
        if name not in rows:
            return None
        number, architecture = rows[name]
        purl = (f"pkg:deb/{self.vendor}/{quoted(name)}@{quoted(number)}"
                f"?arch={architecture}&distro={self.distribution}")
        component = {"type": "library", "bom-ref": purl, "name": name, "version": number,
                     "purl": purl}
        if licence := declared_licence(name):
            component["licenses"] = [{"license": licence}]
        return component

    def owners(self, files):
        """The packages of the files; '*' stands for any directory of libraries."""
        if not files:
            return []
        # It fails if one file has no owner.
        done = subprocess.run(["dpkg", "-S", *files], capture_output=True, text=True, check=False)
        found = set()
        for line in done.stdout.splitlines():
            names, _, path = line.partition(": ")
            if path in files or f"/lib/{self.triplet}/" in path:
                found |= {name.split(":")[0] for name in names.split(", ")}
        return sorted(found & set(self.rows))


def quoted(text):
    """As package URLs quote: colons stay."""
    return urllib.parse.quote(text, safe=":~.-_")


def declared_licence(package):
    """What the copyright file of an installed package says of its files; None if
    that is prose."""
    try:
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(
            encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r"(?m)^Files:\s*\*\s*$(?:\n.+)*?\nLicense:\s*(.+)$", text)
    if not found:
        return None
    name = found[1].strip()
    identifier = SPDX.get(name.lower())
    kind = {"id": identifier} if identifier else {"name": name}
    return kind | {"acknowledgement": "declared"}


class Build:
    """What only the build knows: the libraries that it linked into the programs."""

    def __init__(self, directory):
        text = (directory / "CMakeCache.txt").read_text(encoding="utf-8")
        self.values = dict(re.findall(r"(?m)^([\w-]+):(?:FILE)?PATH=(.*)$", text))
        # The cache lacks a compiler that a toolchain names.
        self.compiler = "c++"
        for path in directory.glob("CMakeFiles/*/CMakeCXXCompiler.cmake"):
            self.compiler = re.search(r'(?m)^set\(CMAKE_CXX_COMPILER "(.*)"\)$',
                                      path.read_text(encoding="utf-8"))[1]

    def static_files(self):
        for name, value in sorted(self.values.items()):
            if name.startswith("ZPACK_STATIC_") and value.startswith("/"):
                yield value
        # Where there is no libfmt.a, its headers are compiled instead.
        if self.values.get("ZPACK_STATIC_fmt", "").endswith("-NOTFOUND"):
            yield self.values["pkgcfg_lib_ZPACK_fmt_fmt"]
        for name in ("libstdc++.a", "libgcc.a"):
            yield output(self.compiler, f"-print-file-name={name}")

    def loaded_files(self):
        """The libraries that the programs load by name."""
        if self.values.get("ZPACK_CURL_FILE", "").startswith("/"):
            yield self.values["ZPACK_CURL_FILE"]

    def header_files(self, package):
        for variable, file, packages in HEADERS:
            if package in packages and variable in self.values:
                yield f"{self.values[variable]}/{file}"

    def page_modules(self):
        """The packages of npm in the page of 'report --html'."""
        modules = pathlib.Path(self.values.get("ZPACK_PAGE_PACKAGES", "")) / "node_modules"
        if not (modules / "d3-shape").is_dir():
            return
        lock = json.loads((ROOT / "tools/report/package-lock.json").read_text(encoding="utf-8"))
        for path, row in sorted(lock["packages"].items()):
            if path:
                name = path.removeprefix("node_modules/")
                purl = f"pkg:npm/{quoted(name)}@{row['version']}"
                digest = base64.b64decode(row["integrity"].removeprefix("sha512-")).hex()
                yield {"type": "library", "bom-ref": purl, "name": name,
                       "version": row["version"], "purl": purl,
                       "hashes": [{"alg": "SHA-512", "content": digest}],
                       "licenses": [{"license": {"id": row["license"],
                                                 "acknowledgement": "declared"}}]}


def needed_names(archive):
    """The shared libraries that the programs of an archive need."""
    names = set()
    with tarfile.open(archive) as tar, tempfile.NamedTemporaryFile() as copy:
        for member in tar:
            if member.isfile() and "/bin/" in member.name:
                copy.seek(0)
                copy.truncate()
                copy.write(tar.extractfile(member).read())
                copy.flush()
                names |= set(re.findall(r"\(NEEDED\).*\[(.*)\]",
                                        output("readelf", "-d", copy.name)))
    return names


class Packages:
    """The files of this version and architecture, and what each consists of."""

    def __init__(self, directory, system, build):
        number = version()
        self.stem = f"git-zpack-{number}-linux-{system.machine}"
        self.debian = sorted(
            path for kind in (system.architecture, "all")
            for path in directory.glob(f"*_{number}-*_{kind}.deb"))
        archive = directory / f"{self.stem}.tar.gz"
        source = directory / f"git-zpack-{number}.tar.gz"
        self.archive = archive if archive.exists() else None
        self.source = source if source.exists() else None
        self.files = self.debian + [path for path in (self.archive, self.source) if path]
        self.components = {}
        self.parts = {path.name: set() for path in self.files}
        names = {output("dpkg-deb", "-f", path, "Package"): path for path in self.debian}
        for name, path in names.items():
            self.read_debian(name, path, names, system)
            self.add_owners(path, list(build.header_files(name)), system)
        if self.archive:
            needed = [f"*/{library}" for library in sorted(needed_names(self.archive))]
            self.add_owners(self.archive, [*build.static_files(), *build.loaded_files(),
                                           *build.header_files("archive"), *needed], system)
        for path in (names.get("git-zpack"), self.archive):
            if path:
                for component in build.page_modules():
                    self.add(path, component)

    def add(self, path, component):
        self.components[component["bom-ref"]] = component
        self.parts[path.name].add(component["bom-ref"])

    def add_owners(self, path, files, system):
        for owner in system.owners(files):
            self.add(path, system.installed(owner))

    def read_debian(self, name, path, own, system):
        """Adds what the package depends on: own packages and libraries. Debian's
        Python is named without a version of its own."""
        for clause in output("dpkg-deb", "-f", path, "Depends").split(","):
            other = clause.strip().split(" ")[0]
            if other in own and other != name:
                self.parts[path.name].add(own[other].name)
            elif other and (component := system.installed(other)):
                self.add(path, component)


def bill_of_materials(packages, source):
    number = version()
    own = {"license": {"id": "Apache-2.0", "acknowledgement": "declared"}}
    files = [{"type": "file", "bom-ref": path.name, "name": path.name, "version": number,
              "hashes": [{"alg": "SHA-256", "content": sha256(path)}], "licenses": [own]}
             for path in packages.files]
    content = json.dumps(files) + source.commit
    date = datetime.datetime.fromtimestamp(source.date, datetime.timezone.utc)
    whole = f"git-zpack-{number}"
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "timestamp": date.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "tools": {"components": [{"type": "application", "name": "git-zpack tools/package",
                                      "version": number}]},
            "component": {"type": "application", "bom-ref": whole, "name": "git-zpack",
                          "version": number, "licenses": [own]},
        },
        "components": files + [packages.components[key] for key in sorted(packages.components)],
        "dependencies": [{"ref": whole, "dependsOn": sorted(packages.parts)}] +
                        [{"ref": name, "dependsOn": sorted(parts)} if parts else {"ref": name}
                         for name, parts in sorted(packages.parts.items())],
        # What the libraries themselves consist of is not told.
        "compositions": [{"aggregate": "unknown", "dependencies": sorted(packages.components)}]
                        if packages.components else [],
    }


def build_packages():
    """The Debian packages with which tools/package builds."""
    names = output("bash", "-c", 'source "$0"; for package in "${build_packages[@]}" '
                   '"${package_packages[@]}"; do for_host "$package"; done',
                   ROOT / "tools/lib/packages.sh").split()
    return [name.partition(":")[0] for name in names]


def provenance(packages, source, system, bill):
    materials = [{"name": "git-zpack.git", "digest": {"gitCommit": source.commit}}]
    if packages.source:
        materials.append({"name": packages.source.name,
                          "digest": {"sha256": sha256(packages.source)}})
    tools = {component["bom-ref"]: component["name"] for name in build_packages()
             if (component := system.tool(name))}
    used = tools | {key: row["name"] for key, row in packages.components.items()}
    materials += [{"name": used[purl], "uri": purl} for purl in sorted(used)]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": {"sha256": sha256(path)}}
                    for path in packages.files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{PLACE}/tools/package/v1",
                "externalParameters": {"command": "tools/package", "version": version()},
                "internalParameters": {"SOURCE_DATE_EPOCH": source.date,
                                       "system": system.distribution,
                                       "machine": platform.machine()},
                "resolvedDependencies": materials,
            },
            "runDetails": {
                # Whoever runs the build knows where it runs, and signs for it.
                "builder": {"id": os.environ.get("ZPACK_BUILDER") or f"{PLACE}/local-build"},
                "byproducts": [{"name": bill.name, "digest": {"sha256": sha256(bill)}}],
            },
        },
    }


def write(path, content):
    path.write_text(json.dumps(content, indent=2, sort_keys=False) + "\n", encoding="utf-8")
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", maxsplit=1)[0])
    parser.add_argument("--build", required=True, type=pathlib.Path, metavar="DIRECTORY")
    parser.add_argument("packages", type=pathlib.Path)
    options = parser.parse_args()
    source = Source()
    system = System()
    packages = Packages(options.packages, system, Build(options.build))
    if not packages.debian and not packages.archive:
        raise SystemExit(f"statements.py: no packages of {version()} in '{options.packages}'")
    bill = options.packages / f"{packages.stem}.cdx.json"
    write(bill, bill_of_materials(packages, source))
    statement = options.packages / f"{packages.stem}.provenance.json"
    if source.changed:
        statement.unlink(missing_ok=True)
        print("statements.py: the work tree has changes, so no commit describes the packages: "
              "no provenance statement", file=sys.stderr)
    else:
        write(statement, provenance(packages, source, system, bill))


if __name__ == "__main__":
    main()
