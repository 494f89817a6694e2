// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/git_pack_store.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "git/objects/loose_object.h"
#include "git/objects/multi_pack_index.h"
#include "git/objects/pack_directory.h"
#include "git/refs/shallow_file.h"
#include "git/repack/alternate_database.h"
#include "git/repack/loose_writer.h"
#include "git/repack/new_multi_pack_index.h"
#include "git/repack/object_ages.h"
#include "git/repack/server_info.h"
#include "git/repack/unfinished_index.h"
#include "git/repository_layout.h"
#include "git/repository_source.h"
#include "pack/damaged_copies.h"

namespace zpack {

GitPackStore::GitPackStore(FileSystem& file_system,
                           const RepositoryLocation& location,
                           RepackSettings settings,
                           const ReadingOptions& reading)
    : file_system_(file_system),
      location_(MainLocation(location)),
      settings_(std::move(settings)),
      reading_(reading) {}

Result<std::unique_ptr<ObjectSource>> GitPackStore::Open(
    ExpectedReads expected) {
  return OpenRepository(location_, expected == ExpectedReads::kContents
                                       ? reading_
                                       : ReadingOptions{.expected = expected});
}

Result<std::unique_ptr<AlternateObjects>> GitPackStore::OpenAlternates() {
  return AlternateDatabase::Open(settings_.object_format, file_system_,
                                 settings_.common_directory,
                                 settings_.object_directory);
}

std::string GitPackStore::directory() const {
  return PackDirectory(settings_.object_directory);
}

Result<std::vector<PackFiles>> GitPackStore::ListPacks() {
  return zpack::ListPacks(settings_.object_directory);
}

Result<ObjectIdTable> GitPackStore::ReadIds(const std::string& name) {
  return ReadPackIds(settings_.object_format, file_system_,
                     settings_.object_directory, name);
}

bool GitPackStore::IsWhole(const std::string& name) {
  return IsPackWhole(settings_.object_format, file_system_,
                     settings_.object_directory, name);
}

Result<ObjectIdTable> GitPackStore::FindDamaged(const std::string& name,
                                                const ObjectIdTable& ids,
                                                const RunOptions& run) {
  return FindDamagedCopies(file_system_, directory() + '/' + name, ids, run);
}

Result<ObjectIdTable> GitPackStore::ListLooseObjects() {
  Bytes ids;
  ZPACK_TRY(zpack::ListLooseObjects(settings_.object_format,
                                    settings_.object_directory, ids));
  return ObjectIdTable::FromUnsorted(settings_.object_format, std::move(ids));
}

Result<ObjectAges> GitPackStore::ReadAges(const ListIds& ids,
                                          const std::vector<PackFiles>& packs,
                                          CruftTimes cruft_times) {
  return ReadObjectAges(file_system_, settings_.object_directory, ids, packs,
                        cruft_times);
}

Status GitPackStore::WriteLooseObject(ObjectSource& source, const ObjectId& id,
                                      int64_t mtime) {
  const LooseWriter writer{settings_.object_format, file_system_,
                           settings_.object_directory, settings_.shared_mode};
  return writer.Write(source, id, mtime);
}

Status GitPackStore::SyncLooseObjects() {
  return file_system_.SyncFileSystem(settings_.object_directory);
}

Result<RemovedLoose> GitPackStore::RemoveLooseObjects(
    const ObjectIdTable& ids) {
  return zpack::RemoveLooseObjects(file_system_, settings_.object_directory,
                                   ids);
}

Status GitPackStore::CheckPackLock() {
  ZPACK_TRY(LockMultiPackIndex(file_system_, directory()));
  return {};
}

Status GitPackStore::CheckShallowLock() {
  ZPACK_ASSIGN_OR_RETURN(
      const auto shallow,
      ReadShallow(settings_.object_format, settings_.common_directory));
  // Without the file, PruneShallow takes no lock.
  if (shallow.empty()) return {};
  ZPACK_TRY(LockShallow(file_system_, settings_.common_directory));
  return {};
}

Result<std::vector<PackFiles>> GitPackStore::Unchanged(
    std::vector<PackFiles> packs) {
  ZPACK_ASSIGN_OR_RETURN(const auto now, ListPacks());
  std::erase_if(packs, [&](const PackFiles& pack) {
    return std::ranges::find(now, pack) == now.end();
  });
  return packs;
}

std::optional<std::set<std::string>> GitPackStore::ReadMultiPackIndex() {
  return zpack::ReadMultiPackIndex(file_system_, directory());
}

Result<std::vector<std::string>> GitPackStore::WriteMultiPackIndex(
    const std::vector<PackFiles>& packs, const std::string& preferred) {
  if (packs.empty()) return std::vector<std::string>();
  ZPACK_ASSIGN_OR_RETURN(const LockFile lock,
                         LockMultiPackIndex(file_system_, directory()));
  ZPACK_ASSIGN_OR_RETURN(std::vector<PackFiles> same, Unchanged(packs));
  return WriteNewMultiPackIndex(
      file_system_, directory(),
      {settings_.object_format,
       static_cast<unsigned>(settings_.multi_pack_index_version),
       std::move(same), preferred, settings_.shared_mode});
}

std::set<std::string> GitPackStore::ListUnfinishedIndex() {
  return zpack::ListUnfinishedIndex(directory());
}

void GitPackStore::RemoveUnfinishedIndex(const std::set<std::string>& before) {
  zpack::RemoveUnfinishedIndex(file_system_, directory(), before);
}

Result<uint64_t> GitPackStore::RemovePacks(
    const std::vector<PackFiles>& packs) {
  if (packs.empty()) return 0;
  ZPACK_ASSIGN_OR_RETURN(const LockFile lock,
                         LockMultiPackIndex(file_system_, directory()));
  ZPACK_ASSIGN_OR_RETURN(const std::vector<PackFiles> same, Unchanged(packs));
  ZPACK_TRY(zpack::RemovePacks(file_system_, settings_.object_directory, same));
  return same.size();
}

Status GitPackStore::PruneShallow(ObjectSource& now) {
  return zpack::PruneShallow(file_system_, settings_.common_directory, now);
}

Status GitPackStore::UpdateRefList(const RefsSnapshot& refs) {
  return zpack::UpdateRefList(file_system_, settings_.common_directory, refs,
                              settings_.shared_mode);
}

Status GitPackStore::UpdatePackList() {
  return zpack::UpdatePackList(file_system_, settings_.object_directory,
                               settings_.shared_mode);
}

}  // namespace zpack
