// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "object/path_table.h"
#include "report/report_builder.h"

namespace zpack {
namespace {

using Advice = RepositoryReport::Advice;

// Stored bytes of a file from which on Git LFS, or another place for an
// archive, is worth the trouble.
constexpr uint64_t kLargeForLfs = uint64_t{1} << 20;
constexpr uint64_t kLargeArchive = uint64_t{256} << 10;
// The default of gc.auto, and of gc.autoPackLimit.
constexpr uint64_t kManyLoose = 6700;
constexpr uint64_t kManyPacks = 50;
// Bytes, and files, of an extension from which on an attribute pays.
constexpr uint64_t kLargeExtension = uint64_t{64} << 10;
constexpr uint64_t kManyOfExtension = 10;
constexpr size_t kMaxOfAKind = 10;

// Bytes of blobs that are stored whole although another blob has their path.
RepositoryReport::Recommendation FindWholeVersions(const ReportInput& input) {
  const ObjectList& list = input.history.list;
  IndexedVector<PathNumber, uint32_t> whole(list.path_table.size());
  RepositoryReport::Recommendation result{Advice::kRepack, "", 0, 0};
  for (const ListRank rank : list.ids.ranks()) {
    if (list.types[rank] != ObjectType::kBlob || !input.stored[rank].whole ||
        list.paths[rank] == PathTable::kRoot) {
      continue;
    }
    if (whole[list.paths[rank]]++ == 0) continue;
    ++result.objects;
    result.bytes += input.stored[rank].bytes;
  }
  return result;
}

}  // namespace

void AdviseOnFile(const RepositoryReport::File& file, std::string_view kind,
                  RepositoryReport& report) {
  if (kind == "archive" && file.sum.stored_bytes >= kLargeArchive) {
    report.advice.push_back({Advice::kUnvendor, file.path, file.sum.objects,
                             file.sum.stored_bytes});
  } else if (file.sum.stored_bytes >= kLargeForLfs) {
    report.advice.push_back(
        {Advice::kUseLfs, file.path, file.sum.objects, file.sum.stored_bytes});
  }
}

void AdviseOnExtensions(const std::map<std::string, uint64_t>& incompressible,
                        RepositoryReport& report) {
  for (const RepositoryReport::Extension& row : report.extensions) {
    const auto found = incompressible.find(row.extension);
    if (found == incompressible.end() || row.extension.empty() ||
        row.sum.objects < kManyOfExtension ||
        row.sum.stored_bytes < kLargeExtension ||
        found->second < row.sum.stored_bytes / 10 * 9) {
      continue;
    }
    report.advice.push_back({Advice::kNoDelta, row.extension, row.sum.objects,
                             row.sum.stored_bytes});
  }
}

void Advise(const ReportInput& input, RepositoryReport& report) {
  const uint64_t total = report.types[2].sum.stored_bytes;
  if (!report.is_file) {
    const auto whole = FindWholeVersions(input);
    if (report.counts.loose > kManyLoose || report.counts.packs > kManyPacks ||
        whole.bytes > total / 4) {
      report.advice.push_back(whole);
    }
  }
  if (report.unreachable.stored_bytes > total / 20) {
    report.advice.push_back({Advice::kUnreachable, "",
                             report.unreachable.objects,
                             report.unreachable.stored_bytes});
  }
  std::ranges::stable_sort(report.advice, std::greater(),
                           &RepositoryReport::Recommendation::bytes);
  std::map<Advice, size_t> counts;
  std::erase_if(report.advice, [&](const auto& row) {
    return ++counts[row.advice] > kMaxOfAKind;
  });
}

}  // namespace zpack
