// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/statistics_printer.h"

#include <fmt/format.h>

#include <ostream>
#include <string_view>

#include "cli.h"
#include "common_options.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

// Maximum number of extensions in the text output.
constexpr size_t kTopExtensions = 20;

void Print(std::string_view title, const FileStatistics::Histogram& histogram,
           std::ostream& out) {
  out << fmt::format("\n{}\n  median {}, 99 % up to {}, maximum {}\n", title,
                     histogram.median, histogram.p99, histogram.maximum);
  for (const auto& bucket : histogram.buckets) {
    out << fmt::format("  up to {:12} {:10}\n", bucket.up_to, bucket.objects);
  }
}

void PrintVerbatim(const FileStatistics& statistics, std::ostream& out) {
  if (statistics.verbatim.empty()) {
    out << "\nstored verbatim: none\n";
    return;
  }
  out << "\nstored verbatim\n"
         "type      objects        content  reason, and some of them\n";
  for (const auto& verbatim : statistics.verbatim) {
    out << fmt::format("{:7} {:9} {:14}  {}\n", ObjectTypeName(verbatim.type),
                       verbatim.objects, verbatim.content_bytes,
                       verbatim.reason);
    for (const ObjectId& id : verbatim.examples) {
      out << fmt::format("{:34}{}\n", "", id.ToHex());
    }
  }
}

Json VerbatimJson(const FileStatistics& statistics) {
  Json verbatim = Json::array();
  for (const auto& sum : statistics.verbatim) {
    Json examples = Json::array();
    for (const ObjectId& id : sum.examples) examples.push_back(id.ToHex());
    verbatim.push_back({{"type", ObjectTypeName(sum.type)},
                        {"reason", sum.reason},
                        {"objects", sum.objects},
                        {"content_bytes", sum.content_bytes},
                        {"examples", examples}});
  }
  return verbatim;
}

// Adds the members of a share to `json`.
void SetShare(Json& json, const FileStatistics::Share& share) {
  json["objects"] = share.objects;
  json["content_bytes"] = share.content_bytes;
  json["stored_bytes"] = share.stored_bytes;
}

}  // namespace

Json HistogramJson(const FileStatistics::Histogram& histogram) {
  Json buckets = Json::array();
  for (const auto& bucket : histogram.buckets) {
    buckets.push_back({{"up_to", bucket.up_to}, {"objects", bucket.objects}});
  }
  return {{"median", histogram.median},
          {"p99", histogram.p99},
          {"maximum", histogram.maximum},
          {"buckets", buckets}};
}

void PrintStatistics(const FileStatistics& statistics, std::ostream& out) {
  out << "blocks   type    stream               unpacked       stored\n";
  for (const auto& stream : statistics.streams) {
    out << fmt::format("{:8} {:7} {:15} {:13} {:12}\n", stream.block_kind,
                       ObjectTypeName(stream.type), stream.kind,
                       stream.raw_bytes, stream.stored_bytes);
  }
  out << "\nextension          blobs        content       stored (estimate)\n";
  for (size_t i = 0; i < std::min(kTopExtensions, statistics.extensions.size());
       ++i) {
    const auto& [extension, share] = statistics.extensions[i];
    out << fmt::format(
        "{:14} {:9} {:14} {:12}\n",
        extension.empty() ? "(none)" : QuoteName(extension, kMaxNameInTable),
        share.objects, share.content_bytes, share.stored_bytes);
  }
  PrintVerbatim(statistics, out);
  Print("deltas between a blob and one that is whole", statistics.chain_lengths,
        out);
  Print("bytes of block data decoded for a blob, less its own size",
        statistics.block_data, out);
  Print("bytes of content rebuilt for a blob, its own included",
        statistics.rebuilt_bytes, out);
  out << "\nmost expensive lineages\n"
         "    stored (estimate)  blobs  whole  chain        content  path\n";
  for (const auto& lineage : statistics.lineages) {
    out << fmt::format(
        "{:12} {:15} {:6} {:6} {:14}  {}\n", lineage.share.stored_bytes,
        lineage.share.objects, lineage.whole, lineage.longest_chain,
        lineage.share.content_bytes,
        lineage.path.empty() ? "(no path)"
                             : QuoteName(lineage.path, kMaxNameInTable));
  }
}

Json StatisticsJson(const FileStatistics& statistics) {
  Json streams = Json::array();
  for (const auto& stream : statistics.streams) {
    streams.push_back({{"blocks", stream.block_kind},
                       {"type", ObjectTypeName(stream.type)},
                       {"stream", stream.kind},
                       {"unpacked_bytes", stream.raw_bytes},
                       {"stored_bytes", stream.stored_bytes}});
  }
  Json extensions = Json::array();
  for (const auto& extension : statistics.extensions) {
    Json json = Json::object();
    SetBytes(json, "extension", extension.extension);
    SetShare(json, extension.share);
    extensions.push_back(std::move(json));
  }
  Json lineages = Json::array();
  for (const auto& lineage : statistics.lineages) {
    Json json = Json::object();
    SetBytes(json, "path", lineage.path);
    SetShare(json, lineage.share);
    json["whole"] = lineage.whole;
    json["longest_chain"] = lineage.longest_chain;
    lineages.push_back(std::move(json));
  }
  return {{"streams", streams},
          {"extensions", extensions},
          {"verbatim", VerbatimJson(statistics)},
          {"chain_lengths", HistogramJson(statistics.chain_lengths)},
          {"block_data", HistogramJson(statistics.block_data)},
          {"rebuilt_bytes", HistogramJson(statistics.rebuilt_bytes)},
          {"lineages", lineages}};
}

}  // namespace zpack::cli
