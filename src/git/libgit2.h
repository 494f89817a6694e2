// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Owning pointers for libgit2's handles, and conversions of ids and errors.

#pragma once

#include <git2.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace zpack {

template <auto Free>
struct Libgit2Free {
  template <typename T>
  void operator()(T* handle) const {
    Free(handle);
  }
};
using RepositoryHandle =
    std::unique_ptr<git_repository, Libgit2Free<git_repository_free>>;
using IndexHandle = std::unique_ptr<git_index, Libgit2Free<git_index_free>>;
using ConfigHandle = std::unique_ptr<git_config, Libgit2Free<git_config_free>>;

// Message of libgit2's last error on this thread.
std::string LastLibgit2Message();

}  // namespace zpack
