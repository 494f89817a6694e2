// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "restore/salvage_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "counted.h"
#include "verify/damage_hints.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

// Maximum number of lines that the text prints of each list. JSON has all.
constexpr size_t kMaxLines = 20;

// Prints one line for each item, up to kMaxLines of them.
template <typename Items, typename Line>
void PrintList(const Items& items, const char* what, Line line,
               std::ostream& out) {
  size_t printed = 0;
  for (const auto& item : items) {
    if (printed++ == kMaxLines) {
      out << fmt::format("  ... and {} more {}\n", items.size() - kMaxLines,
                         what);
      return;
    }
    out << "  " << line(item) << '\n';
  }
}

std::string BlockLine(const LostBlock& block) {
  std::string text = block.object_count == 0
                         ? fmt::format("lost: a segment of object number {}",
                                       block.first_object)
                         : fmt::format("lost: {} from number {} on",
                                       Counted(block.object_count, "object"),
                                       block.first_object);
  if (block.offset) text += fmt::format(", at offset {}", *block.offset);
  return text;
}

std::string MissingLine(const MissingObject& object) {
  std::string text = "missing: " + object.id.ToHex();
  if (!object.path.empty()) {
    text += fmt::format(" '{}'", QuoteName(object.path));
  }
  if (!object.commit.empty()) {
    text += " in commit " + object.commit.ToHex();
  } else if (!object.by.empty()) {
    text += ", needed by " + object.by;
  }
  return text;
}

std::string Lost(const SalvageReport& report) {
  return fmt::format("{}{} {} lost", report.object_count ? "" : "at least ",
                     Counted(report.lost_objects, "object"),
                     report.lost_objects == 1 ? "was" : "were");
}

void PrintDamage(const SalvageReport& report, std::ostream& out) {
  if (!report.lost_parts.empty()) {
    out << "Damaged or gone:";
    for (const std::string& part : report.lost_parts) out << ' ' << part;
    out << '\n';
  }
  PrintList(
      report.damaged_ranges, "ranges",
      [](const DamagedRange& range) {
        std::string line =
            fmt::format("damaged: {} at offset {}", Counted(range.size, "byte"),
                        range.offset);
        if (!range.path.empty()) {
          line += fmt::format(" of '{}'", QuoteName(range.path));
        }
        return line;
      },
      out);
  PrintList(report.lost_blocks, "blocks", BlockLine, out);
  PrintList(
      report.damages, "errors",
      [](const Error& error) { return "error: " + error.message; }, out);
  if (report.conflicting_blocks != 0) {
    out << fmt::format("  {} not used: other blocks have the same numbers\n",
                       Counted(report.conflicting_blocks, "block"));
  }
}

void PrintRefs(const SalvageReport& report, std::ostream& out) {
  if (!report.refs_known) out << "The refs were lost.\n";
  PrintList(
      report.lost_refs, "refs",
      [](const LostRef& ref) {
        return fmt::format("lost ref: {} {}", ref.target.ToHex(),
                           QuoteName(ref.name));
      },
      out);
  PrintList(
      report.incomplete_refs, "refs",
      [](const LostRef& ref) {
        return fmt::format("incomplete ref: {} {}", ref.target.ToHex(),
                           QuoteName(ref.name));
      },
      out);
  if (report.new_refs != 0) {
    out << fmt::format(
        "hint: 'refs/salvaged/' has {} for commits and tags that no other ref "
        "names\n",
        Counted(report.new_refs, "new ref"));
  }
}

void PrintText(const SalvageReport& report, const std::string& directory,
               std::ostream& out) {
  PrintDamage(report, out);
  const auto& types = report.objects_by_type;
  out << fmt::format("Salvaged {} ({}, {}, {}, {}){} to '{}'.\n",
                     Counted(report.objects, "object"),
                     Counted(types[0], "commit"), Counted(types[1], "tree"),
                     Counted(types[2], "blob"), Counted(types[3], "tag"),
                     RefsAndFiles(report.refs, report.files),
                     QuoteName(directory));
  if (report.lost_objects != 0) out << Lost(report) << ".\n";
  PrintList(report.missing, "objects", MissingLine, out);
  PrintRefs(report, out);
  if (!report.files_known) {
    out << "The list of files that are no objects was lost.\n";
  }
  PrintList(
      report.lost_files, "files",
      [](const std::string& name) { return "lost file: " + QuoteName(name); },
      out);
  if (report.promised_objects != 0) {
    out << "hint: " << PromisedText(report.promised_objects) << '\n';
  }
  if (!report.lost_before.empty()) {
    out << "hint: " << LostText(report.lost_before.size()) << '\n';
  }
  if (!report.inactive_names.empty()) {
    out << InactiveHint(report.inactive_names);
  }
  out << (report.complete ? "Nothing was lost.\n"
          : report.lost_objects == 0 && report.missing.empty()
              ? "Something was lost, or cannot be shown to be complete.\n"
              : "");
}

Json RefsToJson(const std::vector<LostRef>& refs) {
  Json list = Json::array();
  for (const LostRef& ref : refs) {
    Json item;
    SetBytes(item, "name", ref.name);
    item["target"] = ref.target.ToHex();
    list.push_back(std::move(item));
  }
  return list;
}

Json BlocksToJson(const std::vector<LostBlock>& blocks) {
  Json list = Json::array();
  for (const LostBlock& block : blocks) {
    Json item = {{"first_object", block.first_object},
                 {"objects", block.object_count}};
    if (block.offset) item["offset"] = *block.offset;
    list.push_back(std::move(item));
  }
  return list;
}

Json MissingToJson(const std::vector<MissingObject>& objects) {
  Json list = Json::array();
  for (const MissingObject& object : objects) {
    Json item = {{"id", object.id.ToHex()}, {"needed_by", object.by}};
    if (!object.commit.empty()) item["commit"] = object.commit.ToHex();
    if (!object.path.empty()) SetBytes(item, "path", object.path);
    list.push_back(std::move(item));
  }
  return list;
}

Json DamagesToJson(const SalvageReport& report) {
  Json damages = Json::array();
  for (const Error& error : report.damages) {
    Json item = {{"message", error.message}};
    if (error.offset) item["offset"] = *error.offset;
    if (!error.object.empty()) item["object"] = error.object.ToHex();
    damages.push_back(std::move(item));
  }
  return damages;
}

Json ToJson(const SalvageReport& report) {
  const auto& types = report.objects_by_type;
  Json ranges = Json::array();
  for (const DamagedRange& range : report.damaged_ranges) {
    Json item = {{"offset", range.offset}, {"size", range.size}};
    if (!range.path.empty()) SetBytes(item, "path", range.path);
    ranges.push_back(std::move(item));
  }
  Json lost_ids = Json::array();
  for (const ObjectId& id : report.lost_ids) lost_ids.push_back(id.ToHex());
  Json lost_files = Json::array();
  for (const std::string& name : report.lost_files) {
    Json item;
    SetBytes(item, "name", name);
    lost_files.push_back(std::move(item));
  }
  Json json = {
      {"complete", report.complete},
      {"object_format", ObjectFormatName(report.object_format)},
      {"object_format_from", report.format_source},
      {"objects", report.objects},
      {"commits", types[0]},
      {"trees", types[1]},
      {"blobs", types[2]},
      {"tags", types[3]},
      {"raw_bytes", report.raw_bytes},
      {"pack_bytes", report.pack_bytes},
      {"objects_in_file", nullptr},
      {"lost_objects", report.lost_objects},
      {"lost_ids", std::move(lost_ids)},
      {"missing", MissingToJson(report.missing)},
      {"lost_parts", report.lost_parts},
      {"damaged_ranges", std::move(ranges)},
      {"lost_blocks", BlocksToJson(report.lost_blocks)},
      {"conflicting_blocks", report.conflicting_blocks},
      {"damages", DamagesToJson(report)},
      {"refs_known", report.refs_known},
      {"refs", report.refs},
      {"incomplete_refs", RefsToJson(report.incomplete_refs)},
      {"lost_refs", RefsToJson(report.lost_refs)},
      {"new_refs", report.new_refs},
      {"files_known", report.files_known},
      {"files", report.files},
      {"inactive_files", report.inactive_files},
      {"lost_files", std::move(lost_files)},
      {"promised_objects", report.promised_objects},
      {"promisor_remotes", PromisorRemotesToJson(report.promisor_remotes)},
      {"lost_before", LossesToJson(report.lost_before)},
      {"phases", PhasesToJson(report.phases)},
      {"peak_rss_bytes", PeakResidentBytes()}};
  if (report.object_count) json["objects_in_file"] = *report.object_count;
  SetBytes(json, "head", report.head);
  return json;
}

}  // namespace

int RunSalvage(const po::variables_map& values, const RunContext& context,
               const SalvageOptions& options, const Io& io) {
  const std::string directory = Text(values, "directory");
  const auto report = Salvage(FileToRead(values), directory, options);
  if (!report) {
    const int code = Fail(io, report.error());
    const std::string file = Text(values, "file");
    if (options.required == SoundParts::kStructure &&
        report.error().code == ErrorCode::kCorrupt && file != "-") {
      PrintDamageHints(file, ParityHint::kUnknown, io.err, report.error().path);
    }
    return code;
  }
  if (Has(values, "json")) {
    PrintJson(ToJson(*report), io.out);
  } else if (!context.quiet()) {
    PrintText(*report, directory, io.err);
  }
  return report->complete ? kDone : kNo;
}

}  // namespace zpack::cli
