// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/object_ages.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "git/objects/loose_object.h"
#include "git/objects/pack_directory.h"

namespace zpack {
namespace {

class AgeReader {
 public:
  AgeReader(FileSystem& file_system, const std::string& object_directory,
            const ListIds& ids)
      : file_system_(file_system),
        object_directory_(object_directory),
        ids_(ids) {
    ages_.mtimes.resize(ids.size(), ObjectAges::kNone);
  }

  Status AddPack(const PackFiles& pack, CruftTimes cruft_times) {
    const Result<PackIds> packed =
        ReadPackIds(ids_.format(), file_system_, object_directory_, pack.name);
    if (!packed) return IfThere(packed.error());
    IndexedVector<PackRank, uint32_t> mtimes;
    if (pack.cruft && cruft_times == CruftTimes::kOfObjects) {
      auto own = ReadPackMtimes(ids_.format(), file_system_, object_directory_,
                                pack.name, packed->size());
      if (!own) return IfThere(own.error());
      mtimes = *std::move(own);
    }
    for (const PackRank rank : packed->ranks()) {
      Add((*packed)[rank], mtimes.empty() ? pack.modified : mtimes[rank]);
    }
    return {};
  }

  Status AddLooseObjects() {
    const size_t width = ObjectIdWidth(ids_.format());
    Bytes loose;
    ZPACK_TRY(ListLooseObjects(ids_.format(), object_directory_, loose));
    for (size_t at = 0; at < loose.size(); at += width) {
      const ObjectId id(ByteView(loose).subspan(at, width));
      struct stat info;
      const std::string path = LooseObjectPath(object_directory_, id);
      if (stat(path.c_str(), &info) == 0) Add(id, info.st_mtim.tv_sec);
    }
    return {};
  }

  ObjectAges Take() { return std::move(ages_); }

 private:
  // Another repack may have removed the pack.
  static Status IfThere(const Error& error) {
    if (error.code == ErrorCode::kNotFound) return {};
    return std::unexpected(error);
  }

  void Add(const ObjectId& id, int64_t mtime) {
    const auto rank = ids_.Find(id);
    if (!rank) return;
    ages_.mtimes[*rank] = std::max({ages_.mtimes[*rank], mtime, int64_t{0}});
  }

  FileSystem& file_system_;
  const std::string& object_directory_;
  const ListIds& ids_;
  ObjectAges ages_;
};

}  // namespace

Result<ObjectAges> ReadObjectAges(FileSystem& file_system,
                                  const std::string& object_directory,
                                  const ListIds& ids,
                                  const std::vector<PackFiles>& packs,
                                  CruftTimes cruft_times) {
  AgeReader reader(file_system, object_directory, ids);
  for (const PackFiles& pack : packs) {
    ZPACK_TRY(reader.AddPack(pack, cruft_times));
  }
  ZPACK_TRY(reader.AddLooseObjects());
  return reader.Take();
}

}  // namespace zpack
