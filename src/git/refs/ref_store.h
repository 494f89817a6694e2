// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The refs of a repository, as one of its worktrees sees them. This is where a
// ref storage is chosen. May be used from several threads.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "git/config/repository_format.h"
#include "git/files/directory_listing.h"
#include "git/repository_location.h"
#include "zpack/object_id.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Refs by name, not peeled.
using RefsByName = std::map<std::string, Ref>;

class RefStore {
 public:
  virtual ~RefStore() = default;

  // HEAD, not peeled. Nothing if there is none. kSourceCorrupt if it cannot be
  // parsed; kIo.
  virtual Result<std::optional<Ref>> ReadHead() const = 0;
  // All refs, those that the worktrees share and those of this one.
  // kSourceCorrupt if a ref cannot be parsed; kIo.
  virtual Result<RefsByName> ListRefs() const = 0;
};

// The refs of a repository of this format. `others` is for what is no ref below
// a directory of refs.
std::unique_ptr<RefStore> OpenRefStore(
    const RepositoryLocation& location, const RepositoryFormat& format,
    UnreadableFiles others = UnreadableFiles::kFail);

}  // namespace zpack
