// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Stores of objects by id that tools/bench/stores compares: a file for each
// object, and libraries with a table of keys and values. No store syncs to the
// disk. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::bench {

// An open store; the functions own what they need. Errors are kIo.
struct ObjectStore {
  // Adds an object.
  std::function<Status(const ObjectId&, ByteView)> put;
  // Ends writing.
  std::function<Status()> finish;
  // Fills the buffer with the value of an object. kNotFound.
  std::function<Status(const ObjectId&, Bytes&)> get;
  // Passes all values to a function, in the order of the store.
  std::function<Status(const std::function<Status(ByteView)>&)> each;
};

// A store of an open table with these functions as members.
template <typename Table>
ObjectStore StoreOf(const std::shared_ptr<Table>& table) {
  return {.put = [table](const ObjectId& id,
                         ByteView value) { return table->Put(id, value); },
          .finish = [table] { return table->Finish(); },
          .get = [table](const ObjectId& id,
                         Bytes& out) { return table->Get(id, out); },
          .each = [table](const auto& visit) { return table->Each(visit); }};
}

// Each makes an empty store in the empty directory `directory`.
Result<ObjectStore> MakeLooseStore(const std::string& directory);
Result<ObjectStore> MakeLmdbStore(const std::string& directory);
Result<ObjectStore> MakeBerkeleyDbStore(const std::string& directory);
Result<ObjectStore> MakeSqliteStore(const std::string& directory);
// Compresses values with zstd. kUnsupported if the program was built without
// RocksDB.
Result<ObjectStore> MakeRocksDbStore(const std::string& directory);

}  // namespace zpack::bench
