// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/publish_packs.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/hex.h"
#include "object/object_hasher.h"

namespace zpack {
namespace {

constexpr uint64_t kComparedPiece = uint64_t{1} << 20;

// Returns false if one of the files cannot be read.
bool AreEqual(FileSystem& file_system, const std::string& a,
              const std::string& b) {
  const auto first = file_system.OpenForRead(a);
  const auto second = file_system.OpenForRead(b);
  if (!first || !second || (*first)->size() != (*second)->size()) return false;
  Bytes left;
  Bytes right;
  for (uint64_t at = 0; at < (*first)->size(); at += left.size()) {
    left.resize(std::min(kComparedPiece, (*first)->size() - at));
    right.resize(left.size());
    if (!(*first)->Read(at, left) || !(*second)->Read(at, right) ||
        left != right) {
      return false;
    }
  }
  return true;
}

// Returns whether the repository already has all files of `pack`, with the same
// bytes.
bool IsThere(FileSystem& file_system, const std::string& directory,
             const PackFiles& there, const PackWriter& pack) {
  const auto files = pack.files();
  const auto has = [&](std::string_view extension) {
    return std::ranges::any_of(
        files, [&](const auto& file) { return file.second == extension; });
  };
  return there.cruft == has(".mtimes") && there.promisor == has(".promisor") &&
         std::ranges::all_of(files, [&](const auto& file) {
           return AreEqual(file_system, file.first,
                           directory + '/' + there.name + file.second);
         });
}

// Derives another name from `name`, as long as Git's.
std::string NextName(ObjectFormat format, const std::string& name) {
  Hasher hasher(HashAlgorithmOf(format));
  hasher.Update(AsBytes(name));
  std::array<uint8_t, Hasher::kMaxSize> hash;
  return "pack-" + ToHex(hasher.Finish(hash));
}

std::set<std::string> Names(const PackSets& packs) {
  std::set<std::string> names;
  for (const auto* set : {&packs.kept, &packs.staying, &packs.rewritten}) {
    for (const PackFiles& pack : *set) names.insert(pack.name);
  }
  return names;
}

// By number in `built`: the identical pack of the repository, if there is one.
std::vector<std::optional<PackFiles>> FindTwins(
    FileSystem& file_system, const std::string& directory,
    const PackSets& packs, const std::vector<BuiltPack>& built) {
  std::vector<std::optional<PackFiles>> twins;
  for (const BuiltPack& pack : built) {
    const auto there = std::ranges::find(packs.rewritten, pack.writer->name(),
                                         &PackFiles::name);
    twins.emplace_back();
    if (there != packs.rewritten.end() &&
        IsThere(file_system, directory, *there, *pack.writer)) {
      twins.back() = *there;
    }
  }
  return twins;
}

}  // namespace

Result<std::vector<std::string>> PublishPacks(
    const RepackJob& job, const PackSets& packs,
    const std::vector<PackFiles>& going, const std::vector<BuiltPack>& built) {
  const auto twins =
      FindTwins(job.file_system, job.store.directory(), packs, built);
  int64_t youngest = std::numeric_limits<int64_t>::min();
  for (const PackFiles& pack : going) {
    if (std::ranges::find(twins, pack) != twins.end()) continue;
    youngest = std::max(youngest, pack.nanoseconds);
  }
  const std::set<std::string> taken = Names(packs);
  std::vector<std::string> names;
  for (size_t i = 0; i < built.size(); ++i) {
    if (twins[i] && twins[i]->nanoseconds > youngest) {
      names.push_back(twins[i]->name);
      continue;
    }
    std::string name = built[i].writer->name();
    while (taken.contains(name)) {
      name = NextName(job.store.object_format(), name);
    }
    ZPACK_TRY(built[i].writer->RemoveMisfits(name));
    ZPACK_TRY(built[i].writer->Publish(name, job.settings.shared_mode));
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace zpack
