# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Adds to a wheel the licences of the libraries in it, for build-wheel.

    add_licences.py WHEEL DIRECTORY

Writes the new wheel to DIRECTORY. auditwheel has put the libraries into the wheel,
and a list of Debian's packages that they are from (SBOM). Debian keeps the licences
of a package in /usr/share/doc, and the texts that many packages have in common in
/usr/share/common-licenses.
"""

import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import urllib.parse

COMMON = pathlib.Path("/usr/share/common-licenses")


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()


def wheel(*arguments):
    output(sys.executable, "-m", "wheel", *map(str, arguments))


def package_of(library):
    """The package of a file that auditwheel named after the library and its hash, and
    its version. The same package may be installed for several architectures."""
    name = re.sub(r"-[0-9a-f]{8}(?=\.)", "", library.name)
    architecture = sysconfig.get_config_var("MULTIARCH")
    package = output("dpkg-query", "-S", f"*/{architecture}*/{name}").partition(": ")[0]
    return package.partition(":")[0], output("dpkg-query", "-W", "-f", "${Version}", package)


def complete(sbom, packages):
    """auditwheel does not find packages with files in /lib instead of /usr/lib."""
    listed = json.loads(sbom.read_text())
    known = {component["name"] for component in listed["components"]}
    for package in sorted(packages.keys() - known):
        version = packages[package]
        purl = f"pkg:deb/debian/{package}@{urllib.parse.quote(version)}"
        listed["components"].append({"type": "library", "bom-ref": purl, "name": package,
                                     "version": version, "purl": purl})
        listed["dependencies"][0]["dependsOn"].append(purl)
        listed["dependencies"].append({"ref": purl})
    sbom.write_text(json.dumps(listed))


def licences(packages):
    """Texts by their names in the wheel."""
    texts = {f"{package}/copyright": pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text()
             for package in packages}
    # Its headers are compiled into the module.
    pybind11 = importlib.metadata.distribution("pybind11")
    texts["pybind11/LICENSE"] = next(
        file for file in pybind11.files if file.name == "LICENSE").read_text()
    for name in re.findall(rf"{COMMON}/([\w.+-]*\w)", "\n".join(texts.values())):
        texts[f"common-licenses/{name}"] = (COMMON / name).read_text()
    return texts


def add(tree):
    (info,) = tree.glob("*.dist-info")
    packages = dict(package_of(library) for library in tree.glob("*.libs/*"))
    complete(info / "sboms/auditwheel.cdx.json", packages)
    texts = licences(packages)
    for name, text in texts.items():
        file = info / "licenses" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    metadata = info / "METADATA"
    own = "License-File: LICENSE\n"
    names = "".join(f"License-File: {name}\n" for name in sorted(texts))
    head, found, rest = metadata.read_text().partition(own)
    if not found:
        sys.exit("add_licences: the wheel does not name its own licence")
    metadata.write_text(head + own + names + rest)


def main():
    source, directory = map(pathlib.Path, sys.argv[1:])
    directory.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as unpacked:
        wheel("unpack", "--dest", unpacked, source)
        (tree,) = pathlib.Path(unpacked).iterdir()
        add(tree)
        wheel("pack", "--dest-dir", directory, tree)


if __name__ == "__main__":
    main()
