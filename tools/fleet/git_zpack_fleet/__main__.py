# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m git_zpack_fleet"""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
