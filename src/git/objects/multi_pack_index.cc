// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/multi_pack_index.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "git/files/directory_listing.h"
#include "object/object_hasher.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

constexpr const char* kName = "multi-pack-index";
constexpr const char* kChain = "multi-pack-index.d";
constexpr uint64_t kMaxChainBytes = uint64_t{1} << 20;
constexpr uint64_t kMaxNames = uint64_t{256} << 20;

// The names of packs in the multi-pack-index `path`, each followed by a zero
// byte. Any error means that the file cannot be read.
Result<Bytes> ReadPackNames(FileSystem& file_system, const std::string& path) {
  const auto bad = [&] {
    return MakeError(ErrorCode::kSourceCorrupt, "bad multi-pack-index '{}'",
                     AtPath{path});
  };
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.OpenForRead(path));
  Bytes header(kMultiPackIndexHeader);
  ZPACK_TRY(file->Read(0, header));
  ByteReader start(header);
  const uint32_t signature = start.U32();
  start.U16();  // version and hash function
  const size_t chunks = start.U8();
  if (signature != kMultiPackIndexSignature) return bad();
  Bytes table((chunks + 1) * kMultiPackIndexRow);
  ZPACK_TRY(file->Read(kMultiPackIndexHeader, table));
  ByteReader in(table);
  for (size_t i = 0; i < chunks; ++i) {
    const uint32_t id = in.U32();
    const uint64_t begin = in.U64();
    if (id != kPackNamesChunk) continue;
    in.U32();
    const uint64_t end = in.U64();
    if (end < begin || end > file->size() || end - begin > kMaxNames) break;
    Bytes names(end - begin);
    ZPACK_TRY(file->Read(begin, names));
    return names;
  }
  return bad();
}

// The names of the packs in the multi-pack-index `path`, without extension.
Result<std::set<std::string>> PacksOf(FileSystem& file_system,
                                      const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const Bytes bytes, ReadPackNames(file_system, path));
  std::set<std::string> names;
  std::string_view rest = AsText(bytes);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view name = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    // Zero bytes fill the end of the table.
    if (!name.empty()) names.emplace(name.substr(0, name.rfind('.')));
  }
  return names;
}

// True if the file `path` lists one of `packs`, or cannot be read.
bool Lists(FileSystem& file_system, const std::string& path,
           const std::set<std::string>& packs) {
  const auto names = PacksOf(file_system, path);
  return !names || std::ranges::any_of(*names, [&](const std::string& name) {
    return packs.contains(name);
  });
}

// The names of the packs in the layers of a chain.
Result<std::set<std::string>> PacksOfChain(FileSystem& file_system,
                                           const std::string& chain) {
  ZPACK_ASSIGN_OR_RETURN(
      const Bytes layers,
      ReadWholeFile(file_system, chain + '/' + kName + "-chain",
                    kMaxChainBytes));
  std::set<std::string> all;
  std::istringstream lines{std::string(AsText(layers))};
  for (std::string hash; std::getline(lines, hash);) {
    ZPACK_ASSIGN_OR_RETURN(
        const auto names,
        PacksOf(file_system, chain + '/' + kName + '-' + hash + ".midx"));
    all.insert(names.begin(), names.end());
  }
  return all;
}

// True if the file ends with the hash of what is before it, and begins as a
// multi-pack-index of this version without layers below it.
bool IsSound(FileSystem& file_system, const std::string& path,
             const ExpectedMultiPackIndex& expected) {
  constexpr uint64_t kRead = uint64_t{1} << 20;
  const size_t width = ObjectIdWidth(expected.format);
  const auto file = file_system.OpenForRead(path);
  if (!file || (*file)->size() < kMultiPackIndexHeader + width) return false;
  Hasher hasher(HashAlgorithmOf(expected.format));
  const uint64_t end = (*file)->size() - width;
  Bytes piece;
  for (uint64_t at = 0; at < end; at += piece.size()) {
    piece.resize(std::min(kRead, end - at));
    if (!(*file)->Read(at, piece)) return false;
    hasher.Update(piece);
    if (at == 0 &&
        (piece[4] != expected.version ||
         piece[5] != PackTableHash(expected.format) || piece[7] != 0)) {
      return false;
    }
  }
  std::array<uint8_t, Hasher::kMaxSize> hash;
  Bytes stored(width);
  return (*file)->Read(end, stored) &&
         std::ranges::equal(stored, hasher.Finish(hash));
}

// Removes files of `directory` whose names begin with that of a
// multi-pack-index and a hyphen, and end with one of `endings`.
Status RemoveBeside(FileSystem& file_system, const std::string& directory,
                    const std::vector<std::string_view>& endings) {
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(directory));
  for (const std::string& name : names) {
    if (!name.starts_with(std::string(kName) + '-') ||
        std::ranges::none_of(endings, [&](std::string_view ending) {
          return name.ends_with(ending);
        })) {
      continue;
    }
    ZPACK_TRY(RemoveIfThere(file_system, directory + '/' + name));
  }
  return {};
}

// Removes `first`, and then the files among `names` that begin with `prefix`,
// which are useless without `first`.
Status RemoveWith(FileSystem& file_system, const std::string& directory,
                  const std::string& first, const std::string& prefix,
                  const std::vector<std::string>& names) {
  ZPACK_TRY(RemoveIfThere(file_system, directory + '/' + first));
  for (const std::string& name : names) {
    if (name == first || !name.starts_with(prefix)) continue;
    ZPACK_TRY(RemoveIfThere(file_system, directory + '/' + name));
  }
  return {};
}

}  // namespace

Result<LockFile> LockMultiPackIndex(FileSystem& file_system,
                                    const std::string& directory) {
  return LockFile::Take(file_system, directory + '/' + kName + ".lock");
}

std::optional<std::set<std::string>> ReadMultiPackIndex(
    FileSystem& file_system, const std::string& directory) {
  auto names = PacksOf(file_system, directory + '/' + kName);
  if (!names) names = PacksOfChain(file_system, directory + '/' + kChain);
  return names ? std::optional(*std::move(names)) : std::nullopt;
}

bool IsMultiPackIndexOf(FileSystem& file_system, const std::string& directory,
                        const ExpectedMultiPackIndex& expected) {
  const std::string path = directory + '/' + kName;
  const auto names = PacksOf(file_system, path);
  return names && *names == expected.packs &&
         IsSound(file_system, path, expected);
}

Status RemoveMultiPackIndexBitmaps(FileSystem& file_system,
                                   const std::string& directory) {
  return RemoveBeside(file_system, directory, {".bitmap"});
}

Status PlaceMultiPackIndex(FileSystem& file_system,
                           const std::string& directory,
                           const std::string& path) {
  ZPACK_TRY(file_system.Rename(path, directory + '/' + kName, Replace::kYes));
  ZPACK_TRY(file_system.SyncDirectory(directory));
  ZPACK_TRY(RemoveBeside(file_system, directory, {".bitmap", ".rev"}));
  const std::string chain = directory + '/' + kChain;
  ZPACK_ASSIGN_OR_RETURN(const auto layers, ListNames(chain));
  if (layers.empty()) return {};
  return RemoveWith(file_system, chain, std::string(kName) + "-chain",
                    std::string(kName) + '-', layers);
}

Status RemoveMultiPackIndexes(FileSystem& file_system,
                              const std::string& directory,
                              const std::set<std::string>& packs) {
  const std::string prefix = std::string(kName) + '-';
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(directory));
  // Without the file, Git would read a chain.
  bool stale = std::ranges::find(names, kName) != names.end() &&
               Lists(file_system, directory + '/' + kName, packs);
  if (stale)
    ZPACK_TRY(RemoveWith(file_system, directory, kName, prefix, names));
  const std::string chain = directory + '/' + kChain;
  ZPACK_ASSIGN_OR_RETURN(const auto layers, ListNames(chain));
  stale = stale || std::ranges::any_of(layers, [&](const std::string& name) {
            return name.ends_with(".midx") &&
                   Lists(file_system, chain + '/' + name, packs);
          });
  if (!stale || layers.empty()) return {};
  ZPACK_TRY(RemoveWith(file_system, chain, prefix + "chain", prefix, layers));
  return file_system.SyncDirectory(chain);
}

}  // namespace zpack
