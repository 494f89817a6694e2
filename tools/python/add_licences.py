# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Adds the licences of the libraries in a wheel to the wheel, for build-wheel.

    add_licences.py WHEEL DIRECTORY

Writes the new wheel to DIRECTORY. auditwheel has put the libraries into the wheel,
and a list of Debian's packages that they are from. Debian keeps the licences of a
package in /usr/share/doc, and the texts that several packages have in common in
/usr/share/common-licenses.
"""

import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys
import tempfile

COMMON = pathlib.Path("/usr/share/common-licenses")


def wheel(*arguments):
    subprocess.run([sys.executable, "-m", "wheel", *map(str, arguments)], check=True,
                   stdout=subprocess.DEVNULL)


def packages(tree, info):
    """The packages that the libraries in the wheel are from."""
    libraries = list(tree.glob("*.libs/*"))
    sbom = json.loads((info / "sboms/auditwheel.cdx.json").read_text())
    found = [one["name"] for one in sbom["components"]
             if one["purl"].startswith("pkg:deb/")]
    if len(found) != len(libraries):
        sys.exit(f"add_licences: {len(libraries)} libraries are in the wheel, but Debian's "
                 f"packages are known for {len(found)} of them")
    return sorted(set(found))


def licences(tree, info):
    """Texts by their names in the wheel."""
    texts = {f"{package}/copyright": pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text()
             for package in packages(tree, info)}
    # Its headers are compiled into the module.
    pybind11 = importlib.metadata.distribution("pybind11")
    texts["pybind11/LICENSE"] = next(
        file for file in pybind11.files if file.name == "LICENSE").read_text()
    for name in re.findall(rf"{COMMON}/([\w.+-]*\w)", "\n".join(texts.values())):
        texts[f"common-licenses/{name}"] = (COMMON / name).read_text()
    return texts


def add(tree):
    (info,) = tree.glob("*.dist-info")
    texts = licences(tree, info)
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
