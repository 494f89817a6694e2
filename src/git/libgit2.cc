// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/libgit2.h"

#include "git/libgit2_allocator.h"

namespace zpack {

std::string LastLibgit2Message() {
  if (Libgit2AllocationFailed()) return "out of memory";
  const git_error* const error = git_error_last();
  return error != nullptr && error->message != nullptr ? error->message
                                                       : "unknown error";
}

}  // namespace zpack
