// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/object_counts.h"

#include <sys/stat.h>

#include <array>
#include <optional>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "git/files/directory_listing.h"
#include "git/objects/pack_directory.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

// Bytes before the fan-out of an index of version 2.
constexpr uint64_t kIndexHeader = 8;
// Position of the last entry of the fan-out, which is the number of objects.
constexpr uint64_t kLastFanOut = uint64_t{255} * 4;

// Nothing if the file does not exist.
std::optional<struct stat> Examine(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

Result<uint32_t> CountIndexed(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, PosixFileSystem().OpenForRead(path));
  std::array<uint8_t, 4> word{};
  ZPACK_TRY(file->Read(0, word));
  const bool old = LoadBigEndian<uint32_t>(word.data()) != kPackIndexSignature;
  ZPACK_TRY(file->Read(kLastFanOut + (old ? 0 : kIndexHeader), word));
  return LoadBigEndian<uint32_t>(word.data());
}

Status CountLoose(const std::string& directory, ObjectFormat format,
                  DirectoryCounts& counts) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char high : kDigits) {
    for (const char low : kDigits) {
      const std::string prefix{high, low};
      const std::string below = directory + '/' + prefix;
      ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(below));
      for (const std::string& name : names) {
        const auto id = ObjectId::FromHex(prefix + name);
        if (!id || id->bytes().size() != ObjectIdWidth(format)) continue;
        const auto status = Examine(below + '/' + name);
        if (!status) continue;
        counts.loose.push_back({*id, static_cast<uint64_t>(status->st_size)});
        counts.loose_disk_bytes +=
            static_cast<uint64_t>(status->st_blocks) * 512;
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<DirectoryCounts::Loose>> ListLooseFiles(
    const std::string& object_directory, ObjectFormat format) {
  DirectoryCounts counts;
  ZPACK_TRY(CountLoose(object_directory, format, counts));
  return std::move(counts.loose);
}

Result<DirectoryCounts> CountObjects(const std::string& object_directory,
                                     ObjectFormat format) {
  DirectoryCounts counts;
  ZPACK_TRY(CountLoose(object_directory, format, counts));
  const std::string packs = PackDirectory(object_directory);
  ZPACK_ASSIGN_OR_RETURN(const auto files, ListPackFiles(object_directory));
  for (const std::string& name : PacksAmong(object_directory, files)) {
    const std::string index = packs + '/' + name + ".idx";
    const auto pack_status = Examine(packs + '/' + name + ".pack");
    const auto index_status = Examine(index);
    if (!pack_status || !index_status) continue;
    ZPACK_ASSIGN_OR_RETURN(const uint32_t objects, CountIndexed(index));
    counts.packed += objects;
    ++counts.packs;
    counts.pack_bytes += static_cast<uint64_t>(pack_status->st_size) +
                         static_cast<uint64_t>(index_status->st_size);
  }
  return counts;
}

}  // namespace zpack
