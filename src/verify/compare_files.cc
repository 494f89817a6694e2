// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/compare_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/hash.h"
#include "reader/repository_file_reader.h"

namespace zpack {
namespace {

using Kind = Difference::Kind;

// The file as an archive would hold it. Nothing if it no longer exists.
Result<std::optional<RepositoryFile>> ReadFile(ObjectSource& source,
                                               const ListedFile& listed,
                                               const std::stop_token& stop) {
  ZPACK_ASSIGN_OR_RETURN(const auto stream, source.OpenFile(listed));
  if (stream == nullptr) return std::nullopt;
  RepositoryFile file{listed.group, listed.name, listed.executable, 0, {}};
  Hasher hasher(HashAlgorithm::kSha256);
  Bytes buffer(size_t{256} << 10);
  while (true) {
    ZPACK_TRY(CheckStop(stop));
    ZPACK_ASSIGN_OR_RETURN(const size_t size, stream->Read(buffer));
    if (size == 0) break;
    hasher.Update(ByteView(buffer).first(size));
    file.size += size;
  }
  hasher.Finish(file.sha256);
  return file;
}

}  // namespace

Status CompareFiles(const ArchiveFile& archive, ObjectSource& source,
                    const std::stop_token& stop,
                    std::vector<Difference>& differences) {
  ZPACK_ASSIGN_OR_RETURN(const format::FileTable table, ReadFileTable(archive));
  ZPACK_ASSIGN_OR_RETURN(const ListedFiles listed, source.ListFiles());
  std::map<std::string, RepositoryFile> in_source;
  for (const ListedFile& file : listed.files) {
    if (std::ranges::find(table.left_out, file.group) != table.left_out.end())
      continue;
    ZPACK_ASSIGN_OR_RETURN(auto read, ReadFile(source, file, stop));
    if (read) in_source.emplace(file.name, *std::move(read));
  }
  for (const RepositoryFile& file : table.files) {
    const auto other = in_source.extract(file.name);
    if (other.empty()) {
      differences.push_back(
          {Kind::kExtra, file.name,
           FormatMessage("file '{}' is not in the repository", file.name)});
    } else if (other.mapped() != file) {
      differences.push_back(
          {Kind::kDifferent, file.name,
           FormatMessage("file '{}' differs from that of the repository",
                         file.name)});
    }
  }
  for (const auto& [name, file] : in_source) {
    differences.push_back(
        {Kind::kMissing, name, FormatMessage("file '{}' is missing", name)});
  }
  return {};
}

}  // namespace zpack
