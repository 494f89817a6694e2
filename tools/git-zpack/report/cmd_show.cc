// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "chain_parts.h"
#include "common_options.h"
#include "report/statistics_printer.h"
#include "several_files.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace show_command {
namespace {

using Json = nlohmann::ordered_json;

void AddOptions(po::options_description& options) {
  options.add_options()("blocks", "also list every block and its streams")(
      "stats", "show only where the bytes are and what reading costs")(
      "dependents", po::value<std::string>()->value_name("<directory>"),
      "list only the files in this directory that depend on the file");
  AddReadingOptions(options);
  AddJsonOption(options);
}

std::string Join(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

void PrintBlocks(const FileDescription& file, std::ostream& out) {
  out << "\n      offset         size type    kind     first object  objects  "
         "streams (unpacked -> stored)\n";
  for (const auto& block : file.blocks) {
    out << fmt::format("{:12} {:12} {:7} {:8} {:12} {:8} ", block.offset,
                       block.size, ObjectTypeName(block.type), block.kind,
                       block.first_object, block.object_count);
    for (const auto& stream : block.streams) {
      out << fmt::format(" {} {} {} -> {}", stream.kind, stream.codec,
                         stream.raw_size, stream.stored_size);
    }
    out << '\n';
  }
}

// How many files of the repository there are, by group.
std::string DescribeFiles(const std::vector<RepositoryFile>& files) {
  std::map<FileGroup, uint64_t> counts;
  for (const RepositoryFile& file : files) ++counts[file.group];
  std::vector<std::string> groups;
  groups.reserve(counts.size());
  for (const auto& [group, count] : counts) {
    std::string_view name = FileGroupName(group);
    // Names such as 'hooks' are plural.
    const bool plural = name != "lfs" && name.ends_with('s');
    if (count == 1 && plural) name.remove_suffix(1);
    groups.push_back(fmt::format("{} {}", count, name));
  }
  return Join(groups);
}

void PrintText(const FileDescription& file, const RefsSnapshot& refs,
               const std::vector<RepositoryFile>& files, bool list_blocks,
               std::ostream& out) {
  out << fmt::format("format version     {}.{}\n", file.format_major,
                     file.format_minor)
      << fmt::format("object format      {}\n",
                     ObjectFormatName(file.object_format))
      << fmt::format("objects            {}\n", file.object_count)
      << fmt::format("file size          {}\n", file.file_size)
      << fmt::format("header size        {}\n", file.header_size)
      << fmt::format("required features  {}\n", Join(file.required_features))
      << fmt::format("optional features  {}\n", Join(file.optional_features))
      << fmt::format("HEAD               {}\n",
                     refs.head_symref.empty()
                         ? refs.head_target.ToHex()
                         : "ref: " + QuoteName(refs.head_symref))
      << fmt::format("refs               {}\n", refs.refs.size())
      << fmt::format("shallow            {}\n", refs.shallow.size())
      << fmt::format("files              {}\n", DescribeFiles(files));
  out << PartsText("depends on         ", file.below);
  if (file.promised_objects != 0) {
    out << fmt::format("promised objects   {}\n", file.promised_objects);
  }
  for (const PromisorRemote& remote : file.promisor_remotes) {
    out << fmt::format(
        "promisor remote    {}, {}, filter {}\n", QuoteName(remote.name),
        remote.url.empty() ? "no URL"
                           : QuoteName(NameWithoutSecrets(remote.url)),
        remote.filter.empty() ? "none" : QuoteName(remote.filter));
  }
  if (!file.lost_objects.empty()) {
    out << fmt::format("lost objects       {}\n", file.lost_objects.size());
  }
  struct Sum {
    uint64_t blocks = 0;
    uint64_t objects = 0;
    uint64_t unpacked = 0;
    uint64_t stored = 0;
  };
  std::map<ObjectType, Sum> sums;
  for (const auto& block : file.blocks) {
    Sum& sum = sums[block.type];
    ++sum.blocks;
    sum.objects += block.segment_offset == 0 ? block.object_count : 0;
    sum.stored += block.size;
    for (const auto& stream : block.streams) sum.unpacked += stream.raw_size;
  }
  out << "\ntype      blocks    objects       unpacked         stored\n";
  for (const auto& [type, sum] : sums) {
    out << fmt::format("{:7} {:8} {:10} {:14} {:14}\n", ObjectTypeName(type),
                       sum.blocks, sum.objects, sum.unpacked, sum.stored);
  }
  out << "\nchunk       offset         size  required\n";
  for (const auto& chunk : file.chunks) {
    out << fmt::format("{:4} {:13} {:12}  {}\n", chunk.id, chunk.offset,
                       chunk.size, chunk.required ? "yes" : "no");
  }
  out << fmt::format("TOCC {:13}\n", file.table_of_contents_offset);
  if (list_blocks) PrintBlocks(file, out);
  out << fmt::format("\ncontent digest     {}\n", file.content_digest)
      << fmt::format("file hash          {}\n", file.file_hash);
}

// Null if there are no refs.
Json FingerprintToJson(const RefsSnapshot& refs) {
  std::string fingerprint = refs.Fingerprint();
  return fingerprint.empty() ? Json(nullptr) : Json(std::move(fingerprint));
}

Json ToJson(const FileDescription& file, const RefsSnapshot& refs,
            const std::vector<RepositoryFile>& files) {
  Json chunks = Json::array();
  for (const auto& chunk : file.chunks) {
    chunks.push_back({{"id", chunk.id},
                      {"offset", chunk.offset},
                      {"size", chunk.size},
                      {"required", chunk.required}});
  }
  Json blocks = Json::array();
  for (const auto& block : file.blocks) {
    Json streams = Json::array();
    for (const auto& stream : block.streams) {
      streams.push_back({{"kind", stream.kind},
                         {"codec", stream.codec},
                         {"unpacked_size", stream.raw_size},
                         {"stored_size", stream.stored_size}});
    }
    blocks.push_back({{"offset", block.offset},
                      {"size", block.size},
                      {"type", ObjectTypeName(block.type)},
                      {"kind", block.kind},
                      {"first_object", block.first_object},
                      {"object_count", block.object_count},
                      {"segment_offset", block.segment_offset},
                      {"streams", streams}});
  }
  Json head = Json::object();
  if (refs.head_symref.empty()) {
    head["target"] = refs.head_target.ToHex();
  } else {
    SetBytes(head, "symref", refs.head_symref);
  }
  return {{"format_version",
           fmt::format("{}.{}", file.format_major, file.format_minor)},
          {"object_format", ObjectFormatName(file.object_format)},
          {"objects", file.object_count},
          {"file_bytes", file.file_size},
          {"header_bytes", file.header_size},
          {"required_features", file.required_features},
          {"optional_features", file.optional_features},
          {"head", head},
          {"refs", refs.refs.size()},
          {"refs_fingerprint", FingerprintToJson(refs)},
          {"shallow", refs.shallow.size()},
          {"files", files.size()},
          {"depends_on", PartsToJson(file.below)},
          {"promised_objects", file.promised_objects},
          {"promisor_remotes", PromisorRemotesToJson(file.promisor_remotes)},
          {"lost_objects", LossesToJson(file.lost_objects)},
          {"chunks", chunks},
          {"table_of_contents_offset", file.table_of_contents_offset},
          {"blocks", blocks},
          {"content_digest", file.content_digest},
          {"file_hash", file.file_hash}};
}

int RunStatistics(const po::variables_map& values, const Io& io) {
  const auto statistics =
      CollectStatistics(FilesToRead(values).front().path,
                        ReadContext(values, io).options(), RunOptions{});
  if (!statistics) return Fail(io, statistics.error());
  if (Has(values, "json")) {
    PrintJson(StatisticsJson(*statistics), io.out);
  } else {
    PrintStatistics(*statistics, io.out);
  }
  return kDone;
}

// What the command shows of one file.
struct Shown {
  std::unique_ptr<ArchiveReader> reader;
  FileDescription file;
  std::vector<RepositoryFile> files;
};

Result<Shown> Read(const std::string& path, const ReadOptions& options) {
  auto reader = ArchiveReader::Open(path, options);
  if (!reader) return std::unexpected(reader.error());
  auto description = (*reader)->Describe();
  if (!description) return std::unexpected(description.error());
  auto files = (*reader)->Files();
  if (!files) return std::unexpected(files.error());
  return Shown{*std::move(reader), *std::move(description), *std::move(files)};
}

// The bytes of the contents of all objects. No block is decoded.
Result<uint64_t> ContentBytes(const ArchiveReader& reader) {
  std::atomic<uint64_t> bytes = 0;
  BulkOptions options;
  options.wants = [&](const ObjectInfo& info) {
    bytes += info.size;
    return false;
  };
  const Status read = reader.ReadAll(
      options, [](const ObjectView&) { return Visit::kContinue; });
  if (!read) return std::unexpected(read.error());
  return bytes.load();
}

int RunSeveral(const po::variables_map& values, const Io& io) {
  RefuseForSeveralFiles(values, {"blocks", "stats", "dependents"});
  const ReadContext read(values, io);
  SeveralFiles table(io);
  for (const InputFile& file : FilesToRead(values)) {
    const auto shown = Read(file.path, read.options());
    const auto content_bytes =
        shown ? ContentBytes(*shown->reader) : std::unexpected(shown.error());
    if (!content_bytes) {
      table.AddFailure(file.name, content_bytes.error());
      continue;
    }
    table.Add({.name = file.name,
               .objects = shown->file.object_count,
               .bytes = shown->file.file_size,
               .content_bytes = *content_bytes},
              io.json ? ToJson(shown->file, shown->reader->refs(), shown->files)
                      : nullptr,
              kDone);
  }
  return table.Finish();
}

int RunDependents(const po::variables_map& values, const Io& io) {
  const ReadContext read(values, io);
  const auto found = ListDependents(FilesToRead(values).front().path,
                                    Text(values, "dependents"), read.options());
  if (!found) return Fail(io, found.error());
  const bool clear = found->unclear.empty();
  Json json = Json::array();
  for (const std::string& path : found->paths) {
    Json row;
    SetBytes(row, "path", path);
    json.push_back(std::move(row));
    if (!Has(values, "json")) io.out << QuoteName(path) << '\n';
  }
  if (Has(values, "json") && clear) PrintJson(json, io.out);
  if (clear) return kDone;
  Error error = found->unclear.front();
  error.message =
      "cannot tell of all files whether they depend on it: " + error.message;
  return Fail(io, error);
}

int Run(const po::variables_map& values, const Io& io) {
  if (Texts(values, "file").size() > 1) return RunSeveral(values, io);
  if (Has(values, "dependents")) return RunDependents(values, io);
  if (Has(values, "stats")) return RunStatistics(values, io);
  const ReadContext read(values, io);
  const auto shown = Read(FilesToRead(values).front().path, read.options());
  if (!shown) return Fail(io, shown.error());
  const RefsSnapshot& refs = shown->reader->refs();
  if (Has(values, "json")) {
    PrintJson(ToJson(shown->file, refs, shown->files), io.out);
  } else {
    PrintText(shown->file, refs, shown->files, Has(values, "blocks"), io.out);
  }
  return kDone;
}

}  // namespace
}  // namespace show_command

const Command kShowCommand = {
    "show",
    "Show what a .zpack file consists of",
    "[--blocks | --stats | --dependents <directory>] [--download] [--json] "
    "<file>...",
    {"file"},
    0,
    LastArgument::kRepeated,
    {},
    false,
    show_command::AddOptions,
    show_command::Run};

}  // namespace zpack::cli
