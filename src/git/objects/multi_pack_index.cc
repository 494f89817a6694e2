// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/multi_pack_index.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "git/files/directory_listing.h"

namespace zpack {
namespace {

constexpr const char* kName = "multi-pack-index";
constexpr uint32_t kSignature = 0x4d494458;  // "MIDX"
constexpr uint32_t kPackNames = 0x504e414d;  // "PNAM"
constexpr size_t kHeaderSize = 12;
constexpr size_t kChunkSize = 12;  // of a row in the table of chunks
constexpr uint64_t kMaxNames = uint64_t{256} << 20;

// The names of packs in the multi-pack-index `path`, each followed by a zero
// byte. Any error means that the file cannot be read.
Result<Bytes> ReadPackNames(FileSystem& file_system, const std::string& path) {
  const auto bad = [&] {
    return MakeError(ErrorCode::kSourceCorrupt, "bad multi-pack-index '{}'",
                     AtPath{path});
  };
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.OpenForRead(path));
  Bytes header(kHeaderSize);
  ZPACK_TRY(file->Read(0, header));
  ByteReader start(header);
  const uint32_t signature = start.U32();
  start.U16();  // version and hash function
  const size_t chunks = start.U8();
  if (signature != kSignature) return bad();
  Bytes table((chunks + 1) * kChunkSize);
  ZPACK_TRY(file->Read(kHeaderSize, table));
  ByteReader in(table);
  for (size_t i = 0; i < chunks; ++i) {
    const uint32_t id = in.U32();
    const uint64_t begin = in.U64();
    if (id != kPackNames) continue;
    in.U32();
    const uint64_t end = in.U64();
    if (end < begin || end > file->size() || end - begin > kMaxNames) break;
    Bytes names(end - begin);
    ZPACK_TRY(file->Read(begin, names));
    return names;
  }
  return bad();
}

// True if the file `path` lists one of `packs`, or cannot be read.
bool Lists(FileSystem& file_system, const std::string& path,
           const std::set<std::string>& packs) {
  const auto names = ReadPackNames(file_system, path);
  if (!names) return true;
  std::string_view rest = AsText(*names);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view name = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (packs.contains(std::string(name.substr(0, name.rfind('.'))))) {
      return true;
    }
  }
  return false;
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

Status RemoveMultiPackIndexes(FileSystem& file_system,
                              const std::string& directory,
                              const std::set<std::string>& packs) {
  const std::string prefix = std::string(kName) + '-';
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(directory));
  if (std::ranges::find(names, kName) != names.end() &&
      Lists(file_system, directory + '/' + kName, packs)) {
    ZPACK_TRY(RemoveWith(file_system, directory, kName, prefix, names));
  }
  const std::string chain = directory + '/' + kName + ".d";
  ZPACK_ASSIGN_OR_RETURN(const auto layers, ListNames(chain));
  const bool stale = std::ranges::any_of(layers, [&](const std::string& name) {
    return name.ends_with(".midx") &&
           Lists(file_system, chain + '/' + name, packs);
  });
  if (!stale) return {};
  ZPACK_TRY(RemoveWith(file_system, chain, prefix + "chain", prefix, layers));
  return file_system.SyncDirectory(chain);
}

}  // namespace zpack
