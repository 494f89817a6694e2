// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The umask of this process. A function without state; any thread.

#pragma once

#include <sys/types.h>

namespace zpack {

// The permission bits that are cleared in new files and directories.
mode_t CurrentUmask();

}  // namespace zpack
