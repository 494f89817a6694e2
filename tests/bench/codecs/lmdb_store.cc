// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <lmdb.h>

#include <memory>
#include <utility>

#include "base/error.h"
#include "bench/codecs/object_store.h"

namespace zpack::bench {
namespace {

// Address space, not memory.
constexpr size_t kMapSize = size_t{256} << 30;
constexpr size_t kPutsPerTransaction = 1000;

Status Check(int result) {
  if (result == 0) return {};
  const auto code =
      result == MDB_NOTFOUND ? ErrorCode::kNotFound : ErrorCode::kIo;
  return MakeError(code, "LMDB: {}", mdb_strerror(result));
}

MDB_val Key(const ObjectId& id) {
  return {id.bytes().size(), const_cast<uint8_t*>(id.bytes().data())};
}
ByteView View(const MDB_val& value) {
  return {static_cast<const uint8_t*>(value.mv_data), value.mv_size};
}

class Lmdb {
 public:
  ~Lmdb() {
    if (transaction_ != nullptr) mdb_txn_abort(transaction_);
    if (environment_ != nullptr) mdb_env_close(environment_);
  }

  Status Open(const std::string& directory) {
    ZPACK_TRY(Check(mdb_env_create(&environment_)));
    ZPACK_TRY(Check(mdb_env_set_mapsize(environment_, kMapSize)));
    return Check(
        mdb_env_open(environment_, directory.c_str(), MDB_NOSYNC, 0666));
  }
  Status Put(const ObjectId& id, ByteView bytes) {
    ZPACK_TRY(Begin(0));
    MDB_val key = Key(id);
    MDB_val value{bytes.size(), const_cast<uint8_t*>(bytes.data())};
    ZPACK_TRY(Check(mdb_put(transaction_, table_, &key, &value, 0)));
    return ++puts_ % kPutsPerTransaction == 0 ? Commit() : Status{};
  }
  Status Finish() {
    ZPACK_TRY(Commit());
    return Begin(MDB_RDONLY);
  }
  Status Get(const ObjectId& id, Bytes& out) {
    MDB_val key = Key(id);
    MDB_val value{};
    ZPACK_TRY(Check(mdb_get(transaction_, table_, &key, &value)));
    out.assign(View(value).begin(), View(value).end());
    return {};
  }
  Status Each(const std::function<Status(ByteView)>& visit) {
    MDB_cursor* cursor = nullptr;
    ZPACK_TRY(Check(mdb_cursor_open(transaction_, table_, &cursor)));
    const std::unique_ptr<MDB_cursor, decltype(&mdb_cursor_close)> closer(
        cursor, mdb_cursor_close);
    MDB_val key{};
    MDB_val value{};
    int result = 0;
    while ((result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0) {
      ZPACK_TRY(visit(View(value)));
    }
    return result == MDB_NOTFOUND ? Status{} : Check(result);
  }

 private:
  Status Begin(unsigned flags) {
    if (transaction_ != nullptr) return {};
    ZPACK_TRY(
        Check(mdb_txn_begin(environment_, nullptr, flags, &transaction_)));
    return Check(mdb_dbi_open(transaction_, nullptr, 0, &table_));
  }
  Status Commit() {
    if (transaction_ == nullptr) return {};
    return Check(mdb_txn_commit(std::exchange(transaction_, nullptr)));
  }

  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  MDB_dbi table_ = 0;
  size_t puts_ = 0;
};

}  // namespace

Result<ObjectStore> MakeLmdbStore(const std::string& directory) {
  const auto lmdb = std::make_shared<Lmdb>();
  ZPACK_TRY(lmdb->Open(directory));
  return StoreOf(lmdb);
}

}  // namespace zpack::bench
