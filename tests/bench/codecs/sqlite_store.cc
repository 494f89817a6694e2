// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <sqlite3.h>

#include <memory>

#include "base/error.h"
#include "bench/codecs/object_store.h"

namespace zpack::bench {
namespace {

// One table without row numbers: the ids are the key of its btree.
constexpr const char* kSchema =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
    "CREATE TABLE objects (id BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID;"
    "BEGIN";

class Sqlite {
 public:
  ~Sqlite() {
    for (sqlite3_stmt* statement : {put_, get_, each_}) {
      sqlite3_finalize(statement);
    }
    sqlite3_close(database_);
  }

  Status Open(const std::string& directory) {
    const std::string path = directory + "/objects.sqlite";
    ZPACK_TRY(Check(sqlite3_open(path.c_str(), &database_)));
    ZPACK_TRY(Run(kSchema));
    ZPACK_TRY(Prepare("INSERT INTO objects VALUES (?, ?)", put_));
    ZPACK_TRY(Prepare("SELECT value FROM objects WHERE id = ?", get_));
    return Prepare("SELECT value FROM objects", each_);
  }
  Status Put(const ObjectId& id, ByteView value) {
    ZPACK_TRY(Bind(put_, 1, id.bytes()));
    ZPACK_TRY(Bind(put_, 2, value));
    if (sqlite3_step(put_) != SQLITE_DONE) return Failed();
    return Check(sqlite3_reset(put_));
  }
  Status Finish() { return Run("COMMIT"); }
  Status Get(const ObjectId& id, Bytes& out) {
    ZPACK_TRY(Bind(get_, 1, id.bytes()));
    const int result = sqlite3_step(get_);
    if (result == SQLITE_ROW) {
      const ByteView value = Column(get_);
      out.assign(value.begin(), value.end());
    }
    ZPACK_TRY(Check(sqlite3_reset(get_)));
    if (result == SQLITE_ROW) return {};
    return MakeError(ErrorCode::kNotFound, "SQLite: object {} is missing", id);
  }
  Status Each(const std::function<Status(ByteView)>& visit) {
    int result = 0;
    while ((result = sqlite3_step(each_)) == SQLITE_ROW) {
      ZPACK_TRY(visit(Column(each_)));
    }
    if (result != SQLITE_DONE) return Failed();
    return Check(sqlite3_reset(each_));
  }

 private:
  std::unexpected<Error> Failed() {
    return MakeError(ErrorCode::kIo, "SQLite: {}", sqlite3_errmsg(database_));
  }
  Status Check(int result) {
    if (result == SQLITE_OK) return {};
    return Failed();
  }
  Status Run(const char* statements) {
    return Check(
        sqlite3_exec(database_, statements, nullptr, nullptr, nullptr));
  }
  Status Prepare(const char* text, sqlite3_stmt*& statement) {
    return Check(sqlite3_prepare_v2(database_, text, -1, &statement, nullptr));
  }
  Status Bind(sqlite3_stmt* statement, int place, ByteView bytes) {
    // The bytes stay valid until the statement has run.
    return Check(sqlite3_bind_blob64(statement, place, bytes.data(),
                                     bytes.size(), nullptr));
  }
  static ByteView Column(sqlite3_stmt* statement) {
    const auto* data =
        static_cast<const uint8_t*>(sqlite3_column_blob(statement, 0));
    return {data, static_cast<size_t>(sqlite3_column_bytes(statement, 0))};
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  sqlite3_stmt* get_ = nullptr;
  sqlite3_stmt* each_ = nullptr;
};

}  // namespace

Result<ObjectStore> MakeSqliteStore(const std::string& directory) {
  const auto table = std::make_shared<Sqlite>();
  ZPACK_TRY(table->Open(directory));
  return StoreOf(table);
}

}  // namespace zpack::bench
