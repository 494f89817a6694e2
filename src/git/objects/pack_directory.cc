// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/pack_directory.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "git/files/directory_listing.h"
#include "git/objects/loose_object.h"
#include "git/objects/multi_pack_index.h"
#include "object/object_hasher.h"
#include "pack/pack_format.h"
#include "pack/pack_index.h"
#include "pack/pack_mtimes.h"

namespace zpack {

namespace fs = std::filesystem;

namespace {

// The names, without extension, of the pack indexes among `files`.
std::vector<std::string> NamesOfIndexes(const std::set<std::string>& files) {
  constexpr std::string_view kExtension = ".idx";
  std::vector<std::string> names;
  for (const std::string& file : files) {
    if (!IsPackIndexName(file)) continue;
    names.push_back(file.substr(0, file.size() - kExtension.size()));
  }
  return names;
}

}  // namespace

std::string PackDirectory(const std::string& object_directory) {
  return object_directory + "/pack";
}

bool IsPackIndexName(std::string_view file) {
  return file.ends_with(".idx") && !file.starts_with('.');
}

Result<std::set<std::string>> ListPackFiles(
    const std::string& object_directory) {
  ZPACK_ASSIGN_OR_RETURN(const auto names,
                         ListNames(PackDirectory(object_directory)));
  return std::set<std::string>(names.begin(), names.end());
}

std::vector<std::string> PacksAmong(const std::string& object_directory,
                                    const std::set<std::string>& files) {
  std::vector<std::string> names;
  for (std::string& name : NamesOfIndexes(files)) {
    const std::string pack = name + ".pack";
    if (files.contains(pack) &&
        WhyNoFile(PackDirectory(object_directory) + '/' + pack).empty()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

std::optional<std::string> FindEndlessPackFile(
    const std::string& object_directory) {
  constexpr std::array<std::string_view, 5> kOpened = {".pack", ".idx", ".rev",
                                                       ".bitmap", ".mtimes"};
  const std::string packs = PackDirectory(object_directory);
  const std::string info = object_directory + "/info/";
  std::vector<std::string> paths = {packs + "/multi-pack-index",
                                    info + "commit-graph"};
  // The last two are of chains. What is no directory has no files.
  for (const std::string& directory :
       {packs, packs + "/multi-pack-index.d", info + "commit-graphs"}) {
    const auto names = ListNames(directory);
    if (!names) continue;
    for (const std::string& name : *names) {
      const bool is_opened =
          directory != packs ||
          std::ranges::any_of(kOpened, [&](std::string_view extension) {
            return name.ends_with(extension);
          });
      if (is_opened) paths.push_back(directory + '/' + name);
    }
  }
  const auto endless = std::ranges::find_if(paths, [](const std::string& path) {
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    return type == fs::file_type::fifo || type == fs::file_type::character ||
           (type == fs::file_type::directory && !path.ends_with(".pack") &&
            !path.ends_with(".idx"));
  });
  if (endless == paths.end()) return std::nullopt;
  return *endless;
}

Result<std::vector<PackFiles>> ListPacks(const std::string& object_directory) {
  ZPACK_ASSIGN_OR_RETURN(const auto files, ListPackFiles(object_directory));
  std::vector<PackFiles> packs;
  for (const std::string& name : PacksAmong(object_directory, files)) {
    const std::string path = PackDirectory(object_directory) + '/' + name;
    struct stat info;
    struct stat pack;
    if (stat((path + ".idx").c_str(), &info) != 0 ||
        stat((path + ".pack").c_str(), &pack) != 0) {
      continue;  // no longer exists
    }
    const auto leads_to_one = [&](const char* extension) {
      std::error_code error;
      return files.contains(name + extension) &&
             fs::exists(path + extension, error);
    };
    packs.push_back(
        {name, files.contains(name + ".keep"), leads_to_one(".promisor"),
         leads_to_one(".mtimes"), info.st_ino,
         info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec,
         pack.st_mtim.tv_sec});
  }
  return packs;
}

Result<std::vector<std::string>> ListPacksWithoutIndex(
    const std::string& object_directory) {
  constexpr std::string_view kExtension = ".pack";
  ZPACK_ASSIGN_OR_RETURN(const auto files, ListPackFiles(object_directory));
  std::vector<std::string> packs;
  for (const std::string& file : files) {
    if (!file.ends_with(kExtension) || file.starts_with('.')) continue;
    const std::string name = file.substr(0, file.size() - kExtension.size());
    if (files.contains(name + ".idx")) continue;
    std::string path = PackDirectory(object_directory) + '/' + file;
    if (WhyNoFile(path).empty()) packs.push_back(std::move(path));
  }
  return packs;
}

Result<std::vector<std::string>> ListNoPacks(
    const std::string& object_directory) {
  ZPACK_ASSIGN_OR_RETURN(const auto files, ListPackFiles(object_directory));
  std::vector<std::string> sentences;
  for (const std::string& name : NamesOfIndexes(files)) {
    const std::string path =
        PackDirectory(object_directory) + '/' + name + ".pack";
    const std::string_view why = WhyNoFile(path);
    if (why.empty()) continue;
    sentences.push_back(
        FormatMessage("'{}' {}", AtPath{path}, MessageText{why}));
  }
  return sentences;
}

Result<ObjectIdTable> ReadPackIds(ObjectFormat format, FileSystem& file_system,
                                  const std::string& object_directory,
                                  const std::string& name) {
  Result<ObjectIdTable> ids =
      ReadPackIndexIds(format, file_system,
                       PackDirectory(object_directory) + '/' + name + ".idx");
  if (ids) return ids;
  const Error& error = ids.error();
  const bool unreadable =
      error.code == ErrorCode::kIo || error.code == ErrorCode::kNotFound;
  return MakeError(unreadable ? error.code : ErrorCode::kSourceCorrupt, "{}",
                   MessageText{error.message});
}

bool IsPackWhole(ObjectFormat format, FileSystem& file_system,
                 const std::string& object_directory, const std::string& name) {
  const size_t hash_size = ObjectIdWidth(format);
  constexpr size_t kHeader = 12;
  constexpr size_t kFanOut = 256 * sizeof(uint32_t);
  const std::string path = PackDirectory(object_directory) + '/' + name;
  const auto pack = file_system.OpenForRead(path + ".pack");
  if (!pack || (*pack)->size() < kHeader + hash_size) return false;
  // A whole index has fewer than 64 bytes for each object, and a pack has more
  // than one.
  const auto index = ReadWholeFile(
      file_system, path + ".idx",
      2 * kFanOut + std::min<uint64_t>((*pack)->size(), UINT32_MAX) * 64);
  if (!index || index->size() < kFanOut + 2 * hash_size) return false;
  // The last number of the fan-out. An index of version 2 has a header before
  // it.
  ByteReader start(*index);
  const bool has_header = start.U32() == kPackIndexSignature;
  const uint32_t count = LoadBigEndian<uint32_t>(
      &(*index)[kFanOut - sizeof(uint32_t) + (has_header ? 8 : 0)]);
  std::array<uint8_t, kHeader> header;
  Bytes hash(hash_size);
  if (!(*pack)->Read(0, header) ||
      !(*pack)->Read((*pack)->size() - hash_size, hash)) {
    return false;
  }
  // An index ends with the hash of the pack and its own hash.
  const ByteView hashed = ByteView(*index).first(index->size() - hash_size);
  Hasher hasher(HashAlgorithmOf(format));
  hasher.Update(hashed);
  std::array<uint8_t, Hasher::kMaxSize> of_index;
  ByteReader in(header);
  return in.U32() == kPackSignature && IsPackVersion(in.U32()) &&
         in.U32() == count &&
         std::ranges::equal(hash, hashed.last(hash_size)) &&
         std::ranges::equal(hasher.Finish(of_index),
                            ByteView(*index).last(hash_size));
}

Result<IndexedVector<PackRank, uint32_t>> ReadPackMtimes(
    ObjectFormat format, FileSystem& file_system,
    const std::string& object_directory, const std::string& name,
    uint32_t count) {
  const std::string path =
      PackDirectory(object_directory) + '/' + name + ".mtimes";
  ZPACK_ASSIGN_OR_RETURN(
      const Bytes bytes,
      ReadWholeFile(file_system, path, PackMtimesSize(format, count)));
  return DecodePackMtimes(format, bytes, count, path);
}

Status RemovePacks(FileSystem& file_system, const std::string& object_directory,
                   const std::vector<PackFiles>& packs) {
  if (packs.empty()) return {};
  const std::string directory = PackDirectory(object_directory);
  std::set<std::string> names;
  for (const PackFiles& pack : packs) names.insert(pack.name);
  ZPACK_TRY(RemoveMultiPackIndexes(file_system, directory, names));
  // Before a pack goes, the names on disk are without an index that lists it:
  // one that was removed above, or that Git has just replaced.
  ZPACK_TRY(file_system.SyncDirectory(directory));
  constexpr std::array kSuffixes = {".idx",    ".rev",      ".bitmap",
                                    ".mtimes", ".promisor", ".pack"};
  for (const PackFiles& pack : packs) {
    const std::string path = directory + '/' + pack.name;
    for (const char* const suffix : kSuffixes) {
      // As in Git, a directory stays.
      std::error_code error;
      const auto status = fs::symlink_status(path + suffix, error);
      if (status.type() == fs::file_type::directory) continue;
      ZPACK_TRY(RemoveIfThere(file_system, path + suffix));
    }
  }
  return file_system.SyncDirectory(directory);
}

Result<RemovedLoose> RemoveLooseObjects(FileSystem& file_system,
                                        const std::string& object_directory,
                                        const ObjectIdTable& ids) {
  Bytes loose;
  ZPACK_TRY(ListLooseObjects(ids.format(), object_directory, loose));
  const size_t width = ObjectIdWidth(ids.format());
  RemovedLoose removed;
  for (size_t at = 0; at < loose.size(); at += width) {
    const ObjectId id(ByteView(loose).subspan(at, width));
    if (!ids.Find(id)) continue;
    const Status status =
        RemoveIfThere(file_system, LooseObjectPath(object_directory, id));
    status ? ++removed.count : ++removed.left;
    if (!status && !removed.why) removed.why = status.error();
  }
  return removed;
}

}  // namespace zpack
