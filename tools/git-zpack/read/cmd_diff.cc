// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "common_options.h"
#include "counted.h"
#include "read/archive_difference.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace diff_command {
namespace {

using Json = nlohmann::ordered_json;

void AddOptions(po::options_description& options) {
  options.add_options()("quiet,q", "print nothing; only the exit code tells")(
      "count", "print only the counts");
  AddReadingOptions(options);
  AddJsonOption(options);
}

// "3 refs differ; objects: 2 only in 'a.zpack', 5 only in 'b.zpack'".
void PrintCounts(const ArchiveDifference& difference, const std::string& left,
                 const std::string& right, std::ostream& out) {
  out << fmt::format("{} and {} differ; {} {} only in {}, {} only in {}\n",
                     Counted(difference.refs.size(), "ref"),
                     Counted(difference.files.size(), "file"),
                     Counted(difference.only_left.size(), "object"),
                     difference.only_left.size() == 1 ? "is" : "are",
                     QuoteName(left), difference.only_right.size(),
                     QuoteName(right));
}

void PrintChanges(const std::vector<ChangedName>& changes, std::ostream& out) {
  for (const ChangedName& change : changes) {
    const std::string name = QuoteName(change.name);
    if (!change.left.empty()) {
      out << fmt::format("< {} {}\n", QuoteName(change.left), name);
    }
    if (!change.right.empty()) {
      out << fmt::format("> {} {}\n", QuoteName(change.right), name);
    }
  }
}

void PrintText(const ArchiveDifference& difference, std::ostream& out) {
  PrintChanges(difference.refs, out);
  PrintChanges(difference.files, out);
  for (const ObjectId& id : difference.only_left) {
    out << "< " << id.ToHex() << '\n';
  }
  for (const ObjectId& id : difference.only_right) {
    out << "> " << id.ToHex() << '\n';
  }
}

Json ChangesToJson(const std::vector<ChangedName>& changes) {
  Json rows = Json::array();
  for (const ChangedName& change : changes) {
    Json row = Json::object();
    SetBytes(row, "name", change.name);
    for (const auto& [key, text] :
         {std::pair<const char*, const std::string&>("left", change.left),
          std::pair<const char*, const std::string&>("right", change.right)}) {
      row[key] = nullptr;
      if (!text.empty()) SetBytes(row, key, text);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json IdsToJson(const std::vector<ObjectId>& ids) {
  Json rows = Json::array();
  for (const ObjectId& id : ids) rows.push_back(id.ToHex());
  return rows;
}

Json ToJson(const ArchiveDifference& difference, const std::string& left,
            const std::string& right) {
  Json json = {{"same", !difference.any()}};
  SetBytes(json, "left", left);
  SetBytes(json, "right", right);
  json.update({{"ref_count", difference.refs.size()},
               {"file_count", difference.files.size()},
               {"only_left_count", difference.only_left.size()},
               {"only_right_count", difference.only_right.size()},
               {"refs", ChangesToJson(difference.refs)},
               {"files", ChangesToJson(difference.files)},
               {"only_left", IdsToJson(difference.only_left)},
               {"only_right", IdsToJson(difference.only_right)}});
  return json;
}

int Run(const po::variables_map& values, const Io& io) {
  const ReadContext read(values, io);
  const std::string left_file = Text(values, "left");
  const std::string right_file = Text(values, "right");
  RefuseRepository(left_file);
  RefuseRepository(right_file);
  const auto left = ArchiveReader::Open(left_file, read.options());
  if (!left) return Fail(io, left.error());
  const auto right = ArchiveReader::Open(right_file, read.options());
  if (!right) return Fail(io, right.error());
  const auto difference = CompareArchives(**left, **right);
  if (!difference) return Fail(io, difference.error());
  if (Has(values, "quiet")) return difference->any() ? kNo : kDone;
  if (Has(values, "json")) {
    PrintJson(ToJson(*difference, left_file, right_file), io.out);
  } else if (difference->any()) {
    PrintCounts(*difference, left_file, right_file, io.out);
    if (!Has(values, "count")) PrintText(*difference, io.out);
  }
  return difference->any() ? kNo : kDone;
}

}  // namespace
}  // namespace diff_command

const Command kDiffCommand = {
    "diff",
    "List refs and objects that differ between two .zpack files",
    "[-q | --count | --json] [--download] <left> <right>",
    {"left", "right"},
    0,
    LastArgument::kOnce,
    {},
    false,
    diff_command::AddOptions,
    diff_command::Run};

}  // namespace zpack::cli
