// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// For builds without RocksDB.

#include "base/error.h"
#include "bench/codecs/object_store.h"

namespace zpack::bench {

Result<ObjectStore> MakeRocksDbStore(const std::string& /*directory*/) {
  return MakeError(ErrorCode::kUnsupported, "built without RocksDB");
}

}  // namespace zpack::bench
