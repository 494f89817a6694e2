// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "bench/codecs/bench_run.h"
#include "bench/codecs/object_store.h"

namespace zpack::bench {
namespace {

// objects/aa/bbbb..., as in Git.
std::string PathOf(const std::string& directory, const ObjectId& id) {
  const std::string hex = id.ToHex();
  return directory + "/" + hex.substr(0, 2) + "/" + hex.substr(2);
}

Status PutFile(const std::string& directory, const ObjectId& id,
               ByteView value) {
  const std::string path = PathOf(directory, id);
  ZPACK_ASSIGN_OR_RETURN(const auto file, PosixFileSystem().Create(path));
  return file->Append(value);
}

Status GetFile(const std::string& directory, const ObjectId& id, Bytes& value) {
  ZPACK_ASSIGN_OR_RETURN(value, ReadWholeFile(PathOf(directory, id)));
  return {};
}

}  // namespace

Result<ObjectStore> MakeLooseStore(const std::string& directory) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char high : kDigits) {
    for (const char low : kDigits) {
      ZPACK_TRY(PosixFileSystem().MakeDirectory(
          directory + "/" + std::string{high, low}, 0777));
    }
  }
  const auto ids = std::make_shared<std::vector<ObjectId>>();
  ObjectStore store;
  store.put = [directory, ids](const ObjectId& id, ByteView value) {
    ids->push_back(id);
    return PutFile(directory, id, value);
  };
  store.finish = [ids] {
    std::ranges::sort(*ids);
    return Status{};
  };
  store.get = [directory](const ObjectId& id, Bytes& value) {
    return GetFile(directory, id, value);
  };
  store.each = [directory, ids](const auto& visit) -> Status {
    Bytes value;
    for (const ObjectId& id : *ids) {
      ZPACK_TRY(GetFile(directory, id, value));
      ZPACK_TRY(visit(value));
    }
    return {};
  };
  return store;
}

}  // namespace zpack::bench
