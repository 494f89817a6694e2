// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <memory>

#include "base/error.h"
#include "bench/codecs/object_store.h"

namespace zpack::bench {
namespace {

Status Check(const rocksdb::Status& status) {
  if (status.ok()) return {};
  const auto code = status.IsNotFound() ? ErrorCode::kNotFound : ErrorCode::kIo;
  return MakeError(code, "RocksDB: {}", status.ToString());
}

rocksdb::Slice Slice(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
ByteView View(const rocksdb::Slice& slice) {
  return {reinterpret_cast<const uint8_t*>(slice.data()), slice.size()};
}

rocksdb::Options StoreOptions() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  options.compression = rocksdb::kZSTD;
  return options;
}

}  // namespace

Result<ObjectStore> MakeRocksDbStore(const std::string& directory) {
  rocksdb::DB* opened = nullptr;
  ZPACK_TRY(Check(rocksdb::DB::Open(StoreOptions(), directory, &opened)));
  const std::shared_ptr<rocksdb::DB> table(opened);
  ObjectStore store;
  store.put = [table](const ObjectId& id, ByteView value) {
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    return Check(table->Put(options, Slice(id.bytes()), Slice(value)));
  };
  store.finish = [table]() -> Status {
    ZPACK_TRY(Check(table->Flush({})));
    return Check(table->CompactRange({}, nullptr, nullptr));
  };
  store.get = [table](const ObjectId& id, Bytes& out) -> Status {
    rocksdb::PinnableSlice value;
    ZPACK_TRY(Check(table->Get({}, table->DefaultColumnFamily(),
                               Slice(id.bytes()), &value)));
    out.assign(View(value).begin(), View(value).end());
    return {};
  };
  store.each = [table](const auto& visit) -> Status {
    const std::unique_ptr<rocksdb::Iterator> at(table->NewIterator({}));
    for (at->SeekToFirst(); at->Valid(); at->Next()) {
      ZPACK_TRY(visit(View(at->value())));
    }
    return Check(at->status());
  };
  return store;
}

}  // namespace zpack::bench
