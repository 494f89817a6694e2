// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/unapplied_grafts.h"

#include <algorithm>
#include <ostream>
#include <string_view>

namespace zpack::cli {
namespace {

constexpr std::string_view kGraftsFile = "info/grafts";
// Bytes of a file in which a graft is looked for.
constexpr uint64_t kMaxGraftsFile = uint64_t{1} << 20;

// Like Git, takes a line for a graft if it has a commit and parents, each after
// one space.
bool IsGraft(std::string_view line, size_t digits) {
  constexpr std::string_view kSpaces = " \t\r\v\f";
  line = line.substr(0, line.find_last_not_of(kSpaces) + 1);
  line = line.substr(0, line.find('\0'));
  while (true) {
    const std::string_view id = line.substr(0, line.find_first_of(kSpaces));
    if (id.size() != digits || !ObjectId::FromHex(id)) return false;
    if (id.size() == line.size()) return true;
    line.remove_prefix(id.size() + 1);
  }
}

bool HasGraft(std::string_view text, size_t digits) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (IsGraft(text.substr(0, end), digits)) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

// What cannot be read, or is too long, may have grafts.
bool MayHaveGrafts(const ArchiveReader& reader, const RepositoryFile& file) {
  if (file.size > kMaxGraftsFile) return true;
  std::string text;
  const Status read = reader.StreamFile(
      file.name, [&](std::span<const uint8_t> piece) -> Result<Visit> {
        text.append(piece.begin(), piece.end());
        return Visit::kContinue;
      });
  const bool is_sha256 = reader.object_format() == ObjectFormat::kSha256;
  return !read || HasGraft(text, is_sha256 ? 64 : 40);
}

}  // namespace

void WarnOfGrafts(const ArchiveReader& reader, std::ostream& err) {
  const auto files = reader.Files();
  if (!files) return;
  const auto grafts =
      std::ranges::find(*files, kGraftsFile, &RepositoryFile::name);
  if (grafts == files->end() || !MayHaveGrafts(reader, *grafts)) return;
  err << "warning: the grafts in 'info/grafts' are not applied; Git applies "
         "them in a restored repository\n";
}

void WarnOfGrafts(const ArchiveReader& reader,
                  std::span<const std::string> names, std::ostream& err) {
  if (std::ranges::any_of(names, ArchiveReader::UsesParents)) {
    WarnOfGrafts(reader, err);
  }
}

}  // namespace zpack::cli
