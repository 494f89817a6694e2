// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What convert stores, and how much of that an older file has already.

#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/file.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "reuse/base_file.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Every object was there when the source was opened: one that is missing now
// is the source's fault, unlike a repository that was never found.
template <typename T>
Result<T> BlameSource(Result<T> result) {
  if (!result && result.error().code == ErrorCode::kNotFound) {
    result.error().code = ErrorCode::kSourceCorrupt;
  }
  return result;
}

struct Inventory {
  std::unique_ptr<BaseFile> base;  // whose blocks are reused, or null
  ObjectList list;                 // what is not in `base`
  FileIds ids;                     // of all objects of the file to be
  std::string base_unused;      // why an older file was given and is not `base`
  bool base_unrelated = false;  // none of the objects it has is in the source
};

// Enumerates the objects of `source`, from the older file of the options if
// there is one and it holds nothing that the new one must not. Errors are those
// of EnumerateObjects and of opening the older file.
Result<Inventory> TakeInventory(ObjectSource& source, const RefsSnapshot& refs,
                                FileSystem& file_system,
                                const ConvertOptions& options);

}  // namespace zpack
