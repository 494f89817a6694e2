# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""What wheel_test.py runs with an installed wheel: everything that the package does,
and then which libraries of the system that took.

    wheel_use.py REPOSITORY DIRECTORY
"""

import importlib.util
import os
import re
import sys

import zpack

repository, directory = sys.argv[1:]
file = os.path.join(directory, "x.zpack")
restored = os.path.join(directory, "restored.git")

zpack.convert(repository, file)
report = zpack.verify(file, repository, level="connectivity")
assert report, report
with zpack.open(file) as archive:
    objects = {one.id: bytes(one) for one in archive.objects()}
    assert len(objects) == len(archive) == report.verified
    commits = [oid for oid, _, _ in archive.walk("HEAD")]
    assert commits[0] == archive.resolve("HEAD")
    content = bytes(archive["HEAD:file"])
zpack.restore(file, restored)
# The repository that came back gives the same file.
again = os.path.join(directory, "again.zpack")
zpack.convert(restored, again)
with zpack.open(again) as archive:
    assert objects == {one.id: bytes(one) for one in archive.objects()}
# For libcurl and its libraries: nobody listens at that port.
try:
    zpack.open("http://127.0.0.1:9/x.zpack")
    raise SystemExit("a file was read from a server that is not there")
except zpack.errors.IOError:
    pass
if importlib.util.find_spec("fsspec"):
    import fsspec

    with fsspec.open("zpack://file", archive=file) as opened:
        assert opened.read() == content
    print("with fsspec")

with open("/proc/self/maps", encoding="utf-8") as maps:
    mapped = set(re.findall(r"(/\S+\.so[.\w]*)$", maps.read(), re.MULTILINE))
print(len(objects), "objects")
for library in sorted(mapped):
    print("mapped", library)
