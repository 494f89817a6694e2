// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/memory_pack_store.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/posix_file_system.h"
#include "pack/pack_index.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

Result<ObjectIdTable> IdTable(const std::set<ObjectId>& ids) {
  Bytes bytes;
  for (const ObjectId& id : ids) Append(bytes, id.bytes());
  return ObjectIdTable::FromSorted(ObjectFormat::kSha1, std::move(bytes));
}

class MemoryAlternates final : public AlternateObjects {
 public:
  MemoryAlternates(MemorySource& source, std::set<ObjectId> ids)
      : view_(source.Open()), ids_(std::move(ids)) {}
  Result<ObjectIdTable> List() override { return IdTable(ids_); }
  Result<std::vector<AlternatePack>> ListPacks(AlternatePacks which) override {
    std::vector<AlternatePack> packs;
    if (which == AlternatePacks::kPromisor) return packs;
    ZPACK_ASSIGN_OR_RETURN(ObjectIdTable ids, IdTable(ids_));
    packs.push_back({PackFiles{}, std::move(ids)});
    return packs;
  }
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override {
    return view_->Open(id);
  }

 private:
  std::unique_ptr<ObjectSource> view_;
  std::set<ObjectId> ids_;
};

}  // namespace

MemoryPackStore::MemoryPackStore(MemorySource& source, std::string directory)
    : source_(source), directory_(std::move(directory)) {
  for (const auto& [id, object] : source.objects()) loose[id] = 0;
}

PackFiles& MemoryPackStore::Pack(const std::string& name,
                                 const std::vector<ObjectId>& ids) {
  PackOfMemory& pack = packs_[name];
  pack.files.name = name;
  pack.files.nanoseconds = ++clock_;
  for (const ObjectId& id : ids) {
    pack.ids.insert(id);
    loose.erase(id);
  }
  return pack.files;
}

PackFiles* MemoryPackStore::Find(const std::string& name) {
  FindNewPacks();
  const auto at = packs_.find(name);
  return at == packs_.end() ? nullptr : &at->second.files;
}

std::vector<std::string> MemoryPackStore::PackNames() {
  FindNewPacks();
  std::vector<std::string> names;
  for (const auto& [name, pack] : packs_) names.push_back(name);
  return names;
}

void MemoryPackStore::FindNewPacks() {
  for (const std::string& file : ListDirectory(directory_)) {
    const fs::path path = fs::path(directory_) / file;
    const std::string name = path.stem();
    if (path.extension() != ".idx" || packs_.contains(name)) continue;
    const auto ids =
        ReadPackIndexIds(ObjectFormat::kSha1, PosixFileSystem(), path);
    Require(ids.has_value(), "the index of a new pack");
    PackOfMemory& pack = packs_[name];
    pack.files.name = name;
    pack.files.cruft = Exists(fs::path(directory_) / (name + ".mtimes"));
    pack.files.nanoseconds = ++clock_;
    for (uint32_t i = 0; i < ids->size(); ++i) pack.ids.insert((*ids)[i]);
  }
}

void MemoryPackStore::Forget(const ObjectId& id) {
  FindNewPacks();
  const bool kept =
      loose.contains(id) || std::ranges::any_of(packs_, [&](const auto& pack) {
        return pack.second.ids.contains(id);
      });
  if (!kept && !(alternates && alternates->contains(id))) source_.Remove(id);
}

Result<std::unique_ptr<ObjectSource>> MemoryPackStore::Open(
    ExpectedReads /*expected*/) {
  if (std::exchange(opened_, true)) meanwhile();
  return source_.Open();
}

Result<std::unique_ptr<AlternateObjects>> MemoryPackStore::OpenAlternates() {
  if (!alternates) return nullptr;
  return std::make_unique<MemoryAlternates>(source_, *alternates);
}

Result<std::vector<PackFiles>> MemoryPackStore::ListPacks() {
  FindNewPacks();
  std::vector<PackFiles> packs;
  for (const auto& [name, pack] : packs_) packs.push_back(pack.files);
  return packs;
}

Result<ObjectIdTable> MemoryPackStore::ReadIds(const std::string& name) {
  if (Find(name) == nullptr) {
    return MakeError(ErrorCode::kNotFound, "no pack '{}'", name);
  }
  return IdTable(packs_.at(name).ids);
}

Result<ObjectIdTable> MemoryPackStore::ListLooseObjects() {
  std::set<ObjectId> ids;
  for (const auto& [id, time] : loose) ids.insert(id);
  return IdTable(ids);
}

Result<ObjectAges> MemoryPackStore::ReadAges(
    const ListIds& ids, const std::vector<PackFiles>& packs,
    CruftTimes /*cruft_times*/) {
  ObjectAges ages;
  for (const ListRank rank : ids.ranks()) {
    const auto at = loose.find(ids[rank]);
    int64_t time = at == loose.end() ? ObjectAges::kNone : at->second;
    for (const PackFiles& pack : packs) {
      if (packs_.at(pack.name).ids.contains(ids[rank])) {
        time = std::max(time, pack.modified);
      }
    }
    ages.mtimes.push_back(time);
  }
  return ages;
}

Status MemoryPackStore::WriteLooseObject(ObjectSource& /*source*/,
                                         const ObjectId& id, int64_t mtime) {
  loose.emplace(id, mtime);
  return {};
}

Result<RemovedLoose> MemoryPackStore::RemoveLooseObjects(
    const ObjectIdTable& ids) {
  RemovedLoose removed;
  for (uint32_t i = 0; i < ids.size(); ++i) {
    const ObjectId id = ids[i];
    removed.count += loose.erase(id);
    Forget(id);
  }
  return removed;
}

Result<uint64_t> MemoryPackStore::RemovePacks(
    const std::vector<PackFiles>& packs) {
  uint64_t count = 0;
  for (const PackFiles& pack : packs) {
    const auto at = packs_.find(pack.name);
    if (at == packs_.end() || at->second.files != pack) continue;
    const std::set<ObjectId> ids = std::move(at->second.ids);
    packs_.erase(at);
    ++count;
    for (const char* extension : {".idx", ".pack", ".rev", ".mtimes"}) {
      std::error_code error;
      fs::remove(directory_ + '/' + pack.name + extension, error);
    }
    for (const ObjectId& id : ids) Forget(id);
  }
  return count;
}

}  // namespace zpack::testing
