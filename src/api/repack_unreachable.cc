// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "api/repack_unreachable.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "git/loose_object.h"
#include "git/loose_writer.h"
#include "inventory/object_enumerator.h"

namespace zpack {
namespace {

// Collects when objects were last used.
class AgeReader {
 public:
  AgeReader(FileSystem& file_system, const RepackSettings& settings,
            const ObjectList& list)
      : file_system_(file_system), settings_(settings), list_(list) {
    ages_.mtimes.resize(list.ids.size(), ObjectAges::kNone);
  }

  // Objects of a cruft pack have times of their own.
  Status AddPack(const StockPackFiles& pack, Unreachable unreachable) {
    const Result<ObjectIdTable> ids =
        ReadPackIds(file_system_, settings_.object_directory, pack.name);
    if (!ids) return IfThere(ids.error());
    std::vector<uint32_t> mtimes;
    // Git goes by the time of the pack when it unpacks one.
    if (pack.cruft && unreachable == Unreachable::kCruft) {
      auto own = ReadPackMtimes(file_system_, settings_.object_directory,
                                pack.name, ids->size());
      if (!own) return IfThere(own.error());
      mtimes = *std::move(own);
    }
    for (uint32_t rank = 0; rank < ids->size(); ++rank) {
      Add((*ids)[rank], mtimes.empty() ? pack.modified : mtimes[rank]);
    }
    return {};
  }

  Status AddLooseObjects() {
    constexpr size_t kWidth = ObjectIdWidth(ObjectFormat::kSha1);
    Bytes loose;
    ZPACK_TRY(ListLooseObjects(settings_.object_directory, loose));
    for (size_t at = 0; at < loose.size(); at += kWidth) {
      const ObjectId id(ByteView(loose).subspan(at, kWidth));
      struct stat info;
      const std::string path = LooseObjectPath(settings_.object_directory, id);
      if (stat(path.c_str(), &info) == 0) Add(id, info.st_mtim.tv_sec);
    }
    return {};
  }

  ObjectAges Take() { return std::move(ages_); }

 private:
  // Another repack may have removed it.
  static Status IfThere(const Error& error) {
    if (error.code == ErrorCode::kNotFound) return {};
    return std::unexpected(error);
  }

  void Add(const ObjectId& id, int64_t mtime) {
    const auto rank = list_.ids.Find(id);
    if (!rank) return;
    ages_.mtimes[*rank] = std::max({ages_.mtimes[*rank], mtime, int64_t{0}});
  }

  FileSystem& file_system_;
  const RepackSettings& settings_;
  const ObjectList& list_;
  ObjectAges ages_;
};

}  // namespace

Result<Leftovers> FindLeftovers(FileSystem& file_system, ObjectSource& source,
                                const RepackSettings& settings,
                                const RepackOptions& options,
                                const PackSets& packs, const ObjectList& all,
                                const ObjectIdTable& kept) {
  AgeReader reader(file_system, settings, all);
  for (const auto* set : {&packs.rewritten, &packs.kept}) {
    for (const StockPackFiles& pack : *set) {
      ZPACK_TRY(reader.AddPack(pack, options.unreachable));
    }
  }
  ZPACK_TRY(reader.AddLooseObjects());
  const ObjectAges ages = reader.Take();
  ZPACK_ASSIGN_OR_RETURN(std::vector<bool> keep,
                         FindSurvivors(source, all, options.expiration, ages));
  Leftovers leftovers;
  for (uint32_t rank = 0; rank < keep.size(); ++rank) {
    int64_t mtime = ages.mtimes[rank];
    // Without a time it is borrowed from another repository.
    keep[rank] =
        keep[rank] && mtime != ObjectAges::kNone && !kept.Find(all.ids[rank]);
    if (!keep[rank]) continue;
    // Git takes what only younger ones need for as old as is still allowed.
    if (options.unreachable == Unreachable::kCruft && options.expiration) {
      mtime = std::max(mtime, *options.expiration);
    }
    leftovers.mtimes.push_back(static_cast<uint32_t>(
        std::min<int64_t>(mtime, std::numeric_limits<uint32_t>::max())));
  }
  leftovers.list = KeepObjects(all, keep);
  return leftovers;
}

Result<uint64_t> LoosenObjects(FileSystem& file_system, ObjectSource& source,
                               const RepackSettings& settings,
                               const Leftovers& leftovers,
                               const ObjectIdTable& old,
                               const std::stop_token& stop) {
  const ObjectIdTable& ids = leftovers.list.ids;
  uint64_t loosened = 0;
  for (uint32_t rank = 0; rank < ids.size(); ++rank) {
    if (!old.Find(ids[rank])) continue;
    ZPACK_TRY(CheckStop(stop));
    ZPACK_TRY(WriteLooseObject(file_system, source, settings.object_directory,
                               settings.shared_mode, ids[rank],
                               leftovers.mtimes[rank]));
    ++loosened;
  }
  if (loosened != 0) {
    ZPACK_TRY(file_system.SyncFileSystem(settings.object_directory));
  }
  return loosened;
}

}  // namespace zpack
