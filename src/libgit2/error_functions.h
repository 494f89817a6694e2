// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions with which a backend sets libgit2's last error of the thread.

#pragma once

#include <git2.h>
// libgit2 < 1.8: declares them in git2/errors.h, and has no git2/sys/errors.h.
#if __has_include(<git2/sys/errors.h>)
#include <git2/sys/errors.h>
#endif
