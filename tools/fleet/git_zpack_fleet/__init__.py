# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""Archives, checks and restores many Git repositories on Dask.

ARCHITECTURE: the file README.md beside this package says how it works.
"""

__version__ = "0.9.0"
