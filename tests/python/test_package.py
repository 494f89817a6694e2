# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What pip makes of tools/python."""

import pathlib
import re
import tomllib

import zpack

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "tools/python"


def test_the_wheel_has_the_version_of_the_library():
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())
    version = project["tool"]["scikit-build"]["metadata"]["version"]
    text = (SOURCE / version["input"]).read_text()
    # As scikit-build-core searches.
    found = re.search(version["regex"], text, re.MULTILINE)
    assert found is not None
    assert found["value"] == zpack.__version__
