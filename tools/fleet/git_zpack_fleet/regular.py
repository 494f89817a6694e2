# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Opens files in directories that others write to."""

from __future__ import annotations

import errno
import os
import stat
from typing import AnyStr


def open_regular(path: AnyStr, flags: int) -> int:
    """Opens a file, as the opener of open().

    What is no regular file, such as a pipe, which would stop the program, a
    directory or a loop of links, raises FileNotFoundError.
    """
    try:
        descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO):
            raise FileNotFoundError(errno.ENOENT, "is no file", path) from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileNotFoundError(errno.ENOENT, "is no file", path)
    return descriptor
