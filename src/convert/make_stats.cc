// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/make_stats.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace zpack {

ConvertStats MakeStats(const WriteStats& written, const RefsSnapshot& refs,
                       uint64_t source_pack_bytes) {
  ConvertStats stats;
  stats.types = written.types;
  stats.reused = written.reused;
  stats.added = written.added;
  stats.resumed_blocks = written.resumed_blocks;
  stats.resumed_bytes = written.resumed_bytes;
  stats.file_size = written.file_size;
  stats.source_pack_bytes = source_pack_bytes;
  stats.refs = refs.refs.size();
  stats.files = written.files;
  stats.file_bytes = written.file_bytes;
  return stats;
}

uint64_t CountUnverified(const ConvertStats& stats,
                         const ConvertOptions& options) {
  if (options.read_back == ReadBack::kNo) return stats.objects();
  return options.trust_base == TrustBase::kYes ? stats.reused.objects : 0;
}

uint64_t CountVerifiedInSource(const ConvertStats& stats,
                               const ConvertOptions& options) {
  if (options.read_source == ReadSource::kYes) return stats.objects();
  const bool all_read =
      options.read_back == ReadBack::kYes && stats.resumed_blocks == 0;
  return all_read ? stats.added.objects : 0;
}

std::string Describe(const ConvertStats::Lost& lost) {
  std::vector<std::string> parts;
  const auto add = [&](uint64_t count, std::string_view what,
                       std::string_view of) {
    if (count == 0) return;
    parts.push_back(
        fmt::format("{} {}{}{}", count, what, count == 1 ? "" : "s", of));
  };
  add(lost.refs, "ref", "");
  add(lost.objects, "object", "");
  add(lost.lfs_objects, "object", " of Git LFS");
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

uint64_t ConvertStats::objects() const {
  uint64_t sum = 0;
  for (const PerType& type : types) sum += type.count;
  return sum;
}

uint64_t ConvertStats::raw_bytes() const {
  uint64_t sum = 0;
  for (const PerType& type : types) sum += type.raw_bytes;
  return sum;
}

uint64_t ConvertStats::index_bytes() const {
  uint64_t blocks = 0;
  for (const PerType& type : types) blocks += type.stored_bytes;
  return file_size - blocks;
}

}  // namespace zpack
