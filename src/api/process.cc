// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/process.h"

#include "base/openssl_memory.h"
#include "git/libgit2_allocator.h"

namespace zpack {

void OwnLibraries() {
  UseOpensslReserve();
  UseLibgit2Allocator();
}

}  // namespace zpack
