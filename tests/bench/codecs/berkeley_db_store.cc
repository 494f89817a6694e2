// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <db.h>

#include <memory>

#include "base/error.h"
#include "bench/codecs/object_store.h"

namespace zpack::bench {
namespace {

constexpr uint32_t kCacheSize = uint32_t{64} << 20;

Status Check(int result) {
  if (result == 0) return {};
  const auto code =
      result == DB_NOTFOUND ? ErrorCode::kNotFound : ErrorCode::kIo;
  return MakeError(code, "Berkeley DB: {}", db_strerror(result));
}

DBT Item(ByteView bytes) {
  DBT item{};
  item.data = const_cast<uint8_t*>(bytes.data());
  item.size = static_cast<uint32_t>(bytes.size());
  return item;
}
ByteView View(const DBT& item) {
  return {static_cast<const uint8_t*>(item.data), item.size};
}

// A btree in one file, without transactions.
class BerkeleyDb {
 public:
  ~BerkeleyDb() {
    if (table_ != nullptr) table_->close(table_, DB_NOSYNC);
  }

  Status Open(const std::string& directory) {
    ZPACK_TRY(Check(db_create(&table_, nullptr, 0)));
    ZPACK_TRY(Check(table_->set_cachesize(table_, 0, kCacheSize, 1)));
    const std::string path = directory + "/objects.db";
    return Check(table_->open(table_, nullptr, path.c_str(), nullptr, DB_BTREE,
                              DB_CREATE, 0666));
  }
  Status Put(const ObjectId& id, ByteView bytes) {
    DBT key = Item(id.bytes());
    DBT value = Item(bytes);
    return Check(table_->put(table_, nullptr, &key, &value, 0));
  }
  // Writes the pages; the system syncs when it likes.
  Status Finish() { return Check(table_->sync(table_, 0)); }
  Status Get(const ObjectId& id, Bytes& out) {
    DBT key = Item(id.bytes());
    DBT value{};
    ZPACK_TRY(Check(table_->get(table_, nullptr, &key, &value, 0)));
    out.assign(View(value).begin(), View(value).end());
    return {};
  }
  Status Each(const std::function<Status(ByteView)>& visit) {
    DBC* cursor = nullptr;
    ZPACK_TRY(Check(table_->cursor(table_, nullptr, &cursor, 0)));
    const auto close = [](DBC* open) { open->close(open); };
    const std::unique_ptr<DBC, decltype(close)> closer(cursor, close);
    DBT key{};
    DBT value{};
    int result = 0;
    while ((result = cursor->get(cursor, &key, &value, DB_NEXT)) == 0) {
      ZPACK_TRY(visit(View(value)));
    }
    return result == DB_NOTFOUND ? Status{} : Check(result);
  }

 private:
  DB* table_ = nullptr;
};

}  // namespace

Result<ObjectStore> MakeBerkeleyDbStore(const std::string& directory) {
  const auto table = std::make_shared<BerkeleyDb>();
  ZPACK_TRY(table->Open(directory));
  return StoreOf(table);
}

}  // namespace zpack::bench
