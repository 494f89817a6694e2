// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/archive_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace zpack::cli {
namespace {

// Texts by name. std::map orders names by their bytes, as Git does.
using NamedTexts = std::map<std::string, std::string>;

std::string TextOf(const std::string& symref, const ObjectId& target) {
  return symref.empty() ? target.ToHex() : "ref: " + symref;
}

NamedTexts RefTexts(const RefsSnapshot& refs) {
  NamedTexts texts;
  for (const Ref& ref : refs.refs) {
    texts[ref.name] = TextOf(ref.symref_target, ref.target);
  }
  return texts;
}

NamedTexts ShallowTexts(const RefsSnapshot& refs) {
  NamedTexts texts;
  for (const ObjectId& id : refs.shallow) {
    texts["shallow " + id.ToHex()] = id.ToHex();
  }
  return texts;
}

NamedTexts FileTexts(const std::vector<RepositoryFile>& files) {
  NamedTexts texts;
  for (const RepositoryFile& file : files) {
    std::string text;
    for (const uint8_t byte : file.sha256) text += fmt::format("{:02x}", byte);
    if (file.executable) text += " executable";
    texts[file.name] = text;
  }
  return texts;
}

void AddChanges(const NamedTexts& left, const NamedTexts& right,
                std::vector<ChangedName>& changes) {
  NamedTexts names = left;
  names.insert(right.begin(), right.end());
  for (const auto& [name, unused] : names) {
    const auto text = [&name](const NamedTexts& texts) {
      const auto found = texts.find(name);
      return found == texts.end() ? std::string() : found->second;
    };
    ChangedName change{name, text(left), text(right)};
    if (change.left != change.right) changes.push_back(std::move(change));
  }
}

Result<std::vector<ObjectId>> SortedIds(const ArchiveReader& reader) {
  std::vector<ObjectId> ids;
  ids.reserve(reader.object_count());
  const Status status =
      reader.ForEachId(IdOrder::kId, [&](const ObjectId& id) -> Result<Visit> {
        ids.push_back(id);
        return Visit::kContinue;
      });
  if (!status) return std::unexpected(status.error());
  return ids;
}

}  // namespace

Result<ArchiveDifference> CompareArchives(const ArchiveReader& left,
                                          const ArchiveReader& right) {
  if (left.object_format() != right.object_format()) {
    return std::unexpected(Error{
        .code = ErrorCode::kInvalidArgument,
        .message = fmt::format("the files have different object formats: {} "
                               "and {}",
                               ObjectFormatName(left.object_format()),
                               ObjectFormatName(right.object_format()))});
  }
  ArchiveDifference difference;
  const RefsSnapshot& a = left.refs();
  const RefsSnapshot& b = right.refs();
  AddChanges({{"HEAD", TextOf(a.head_symref, a.head_target)}},
             {{"HEAD", TextOf(b.head_symref, b.head_target)}}, difference.refs);
  AddChanges(RefTexts(a), RefTexts(b), difference.refs);
  AddChanges(ShallowTexts(a), ShallowTexts(b), difference.refs);
  const auto left_files = left.Files();
  if (!left_files) return std::unexpected(left_files.error());
  const auto right_files = right.Files();
  if (!right_files) return std::unexpected(right_files.error());
  AddChanges(FileTexts(*left_files), FileTexts(*right_files), difference.files);
  const auto left_ids = SortedIds(left);
  if (!left_ids) return std::unexpected(left_ids.error());
  const auto right_ids = SortedIds(right);
  if (!right_ids) return std::unexpected(right_ids.error());
  std::ranges::set_difference(*left_ids, *right_ids,
                              std::back_inserter(difference.only_left));
  std::ranges::set_difference(*right_ids, *left_ids,
                              std::back_inserter(difference.only_right));
  return difference;
}

}  // namespace zpack::cli
