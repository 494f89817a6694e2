// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/compare_files.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/read_listed_file.h"
#include "reader/repository_file_reader.h"

namespace zpack {

Status CompareFiles(const ArchiveFile& archive, ObjectSource& source,
                    const std::stop_token& stop, VerifyReport& report) {
  using Kind = Difference::Kind;
  ZPACK_ASSIGN_OR_RETURN(const RepositoryFiles table, ReadFileTable(archive));
  std::vector<std::string> others;
  for (const RepositoryFile& file : table.files) {
    if (file.group == FileGroup::kOther) others.push_back(file.name);
  }
  ZPACK_ASSIGN_OR_RETURN(ListedFiles listed, source.ListFiles(others));
  report.left_out = std::move(listed.left_out);
  std::vector<Difference>& differences = report.differences;
  std::map<std::string, RepositoryFile> in_source;
  for (const ListedFile& file : listed.files) {
    if (std::ranges::find(table.left_out, file.group) != table.left_out.end())
      continue;
    ZPACK_ASSIGN_OR_RETURN(
        auto read,
        ReadListedFile(source, file, stop, [](ByteView) { return Status{}; }));
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
