// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Determines what convert stores, and which part of it an older archive has.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "convert/base_file.h"
#include "inventory/object_list.h"
#include "object/lost_objects.h"
#include "object/object_source.h"
#include "object/promises.h"
#include "object/surviving_source.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Turns kNotFound into kSourceCorrupt. All objects existed when the source was
// opened, so a missing object is a fault of the source, unlike a repository
// that was not found.
template <typename T>
Result<T> BlameSource(Result<T> result) {
  if (!result && result.error().code == ErrorCode::kNotFound) {
    result.error().code = ErrorCode::kSourceCorrupt;
  }
  return result;
}

struct Inventory {
  // Archive whose blocks are reused, or with ConvertOptions::onto are not
  // written; null without one.
  std::unique_ptr<BaseFile> base;
  ObjectList list;    // objects that are not in `base`
  FarVersions far;    // objects of `base` that those of `list` resemble
  FileIds ids;        // of all objects of the new archive
  Promises promises;  // empty unless the options allow them
  LostObjects lost;   // empty without KeepGoing::kYes
  std::vector<SourceLoss> losses;  // the same for people
  std::string base_unused;  // why the older archive is not used; else empty
  // For people: what the source has besides and the archive will not hold.
  std::vector<std::string> left_out;
  // True if the older archive is that of another repository: both have commits,
  // and none in common.
  bool base_unrelated = false;
  // An older archive whose blocks are not reused, or null.
  std::unique_ptr<BaseFile> unused;

  // The older archive, or null.
  const BaseFile* older() const {
    return base != nullptr ? base.get() : unused.get();
  }
};

// Enumerates the objects of `source`. If the options name an older archive,
// reuses its blocks, unless it holds objects that the new archive must not
// have. `damaged` are objects that `source` had and no longer has. Errors are
// those of EnumerateObjects and of opening the older archive.
Result<Inventory> TakeInventory(ObjectSource& source, const RefsSnapshot& refs,
                                const DamagedObjects& damaged,
                                FileSystem& file_system,
                                const ConvertOptions& options);

}  // namespace zpack
