// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions with which a backend sets libgit2's last error of the thread.
// libgit2 declares them in git2/sys/errors.h from version 1.8 on, and in
// git2/errors.h before.

#pragma once

#include <git2.h>
#if __has_include(<git2/sys/errors.h>)
#include <git2/sys/errors.h>
#endif
