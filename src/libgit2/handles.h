// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of libgit2 that free themselves.

#pragma once

#include <git2.h>

#include <memory>

namespace zpack::libgit2 {

struct FreeHandle {
  void operator()(git_config* config) const { git_config_free(config); }
  void operator()(git_odb* odb) const { git_odb_free(odb); }
  void operator()(git_refdb* refdb) const { git_refdb_free(refdb); }
  void operator()(git_repository* repository) const {
    git_repository_free(repository);
  }
};

template <typename T>
using Handle = std::unique_ptr<T, FreeHandle>;

// Calls `make` with room for a pointer, and puts what it made into `out`.
// Returns what `make` returned.
template <typename T, typename Make>
int Receive(Handle<T>& out, Make make) {
  T* made = nullptr;
  const int code = make(&made);
  if (code == 0) out.reset(made);
  return code;
}

}  // namespace zpack::libgit2
