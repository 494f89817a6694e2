// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <map>
#include <ostream>

#include "common_options.h"
#include "statistics_printer.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace show_command {
namespace {

using Json = nlohmann::ordered_json;

void AddOptions(po::options_description& options) {
  options.add_options()("blocks", "also list every block and its streams")(
      "stats", "show only where the bytes are and what reading costs");
  AddDownloadOption(options);
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
    groups.push_back(fmt::format("{} {}", count, FileGroupName(group)));
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
  if (file.promised_objects != 0) {
    out << fmt::format("promised objects   {}\n", file.promised_objects);
  }
  for (const PromisorRemote& remote : file.promisor_remotes) {
    out << fmt::format(
        "promisor remote    {}, {}, filter {}\n", QuoteName(remote.name),
        remote.url.empty() ? "no URL" : QuoteName(remote.url),
        remote.filter.empty() ? "none" : QuoteName(remote.filter));
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
          {"promised_objects", file.promised_objects},
          {"promisor_remotes", PromisorRemotesToJson(file.promisor_remotes)},
          {"chunks", chunks},
          {"table_of_contents_offset", file.table_of_contents_offset},
          {"blocks", blocks},
          {"content_digest", file.content_digest},
          {"file_hash", file.file_hash}};
}

int RunStatistics(const po::variables_map& values, const Io& io) {
  const auto statistics = CollectStatistics(
      FileToRead(values), ReadContext(values, io).options(), RunOptions{});
  if (!statistics) return Fail(io, statistics.error());
  if (Has(values, "json")) {
    PrintJson(StatisticsJson(*statistics), io.out);
  } else {
    PrintStatistics(*statistics, io.out);
  }
  return kDone;
}

int Run(const po::variables_map& values, const Io& io) {
  if (Has(values, "stats")) return RunStatistics(values, io);
  const auto reader = ArchiveReader::Open(FileToRead(values),
                                          ReadContext(values, io).options());
  if (!reader) return Fail(io, reader.error());
  const auto description = (*reader)->Describe();
  if (!description) return Fail(io, description.error());
  const auto files = (*reader)->Files();
  if (!files) return Fail(io, files.error());
  const RefsSnapshot& refs = (*reader)->refs();
  if (Has(values, "json")) {
    PrintJson(ToJson(*description, refs, *files), io.out);
  } else {
    PrintText(*description, refs, *files, Has(values, "blocks"), io.out);
  }
  return kDone;
}

}  // namespace
}  // namespace show_command

const Command kShowCommand = {
    "show",
    "Show what a .zpack file consists of",
    "[--blocks | --stats] [--download] [--json] <file>",
    {"file"},
    0,
    LastArgument::kOnce,
    {},
    false,
    show_command::AddOptions,
    show_command::Run};

}  // namespace zpack::cli
