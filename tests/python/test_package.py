# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What pip makes of tools/python, and the types of the compiled module."""

import ast
import pathlib
import re
import tomllib
import types

import zpack
from zpack import _zpack

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "tools/python"


def test_the_wheel_has_the_version_of_the_library():
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())
    version = project["tool"]["scikit-build"]["metadata"]["version"]
    text = (SOURCE / version["input"]).read_text()
    # As scikit-build-core searches.
    found = re.search(version["regex"], text, re.MULTILINE)
    assert found is not None
    assert found["value"] == zpack.__version__


def names_in_stubs(body):
    """Functions, properties and classes by name; of a class, those in it."""
    return {one.name: names_in_stubs(one.body) if isinstance(one, ast.ClassDef) else None
            for one in body if isinstance(one, (ast.ClassDef, ast.FunctionDef))}


def names_at_runtime(module):
    """The same of the module."""
    found = {}
    for name, value in vars(module).items():
        if isinstance(value, type):
            found[name] = dict.fromkeys(
                one for one, member in vars(value).items()
                if isinstance(member, (property, types.FunctionType)) or
                type(member).__name__ in ("instancemethod", "wrapper_descriptor"))
        elif callable(value):
            found[name] = None
    return found


def test_stubs_name_what_the_module_has():
    """tests/install/wheel_test.py compares more, with mypy."""
    stubs = names_in_stubs(ast.parse((SOURCE / "zpack/_zpack.pyi").read_text()).body)
    module = names_at_runtime(_zpack)
    assert stubs.keys() == module.keys()
    for name, members in stubs.items():
        if members is not None:
            ignored = {"__buffer__", "__repr__", "__new__", "__init__", "__release_buffer__",
                       "_pybind11_conduit_v1_"}  # of newer versions of pybind11
            assert members.keys() - ignored == module[name].keys() - ignored, name
