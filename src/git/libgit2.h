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
#include "zpack/object_id.h"

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
using OdbHandle = std::unique_ptr<git_odb, Libgit2Free<git_odb_free>>;
using OdbObjectHandle =
    std::unique_ptr<git_odb_object, Libgit2Free<git_odb_object_free>>;
using IndexHandle = std::unique_ptr<git_index, Libgit2Free<git_index_free>>;
using ConfigHandle = std::unique_ptr<git_config, Libgit2Free<git_config_free>>;

// Message of libgit2's last error on this thread.
std::string LastLibgit2Message();

inline git_oid ToGitOid(const ObjectId& id) {
  git_oid out;
  git_oid_fromraw(&out, id.bytes().data());
  return out;
}

inline ObjectId FromGitOid(const git_oid& id) {
  // libgit2 < 1.6: has no GIT_OID_SHA1_SIZE, the newer name.
  return ObjectId({id.id, GIT_OID_RAWSZ});
}

}  // namespace zpack
