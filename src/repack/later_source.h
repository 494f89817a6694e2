// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The repository after a repack, opened at first use. One call at a time.

#pragma once

#include <memory>

#include "base/error.h"
#include "object/object_source.h"
#include "pack/pack_store.h"

namespace zpack {

class LaterSource {
 public:
  explicit LaterSource(PackStore& store) : store_(store) {}

  // Errors are those of PackStore::Open.
  Result<ObjectSource*> Get() {
    if (source_ == nullptr) {
      ZPACK_ASSIGN_OR_RETURN(source_, store_.Open(ExpectedReads::kInfos));
    }
    return source_.get();
  }

 private:
  PackStore& store_;
  std::unique_ptr<ObjectSource> source_;
};

}  // namespace zpack
