// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "codec/compressibility.h"
#include "object/path_table.h"
#include "report/content_kind.h"
#include "report/report_builder.h"

namespace zpack {
namespace {

// Limits of the sample: paths, and bytes of one content and of all.
constexpr size_t kMaxPaths = 400;
constexpr uint64_t kMaxContent = uint64_t{16} << 20;
constexpr uint64_t kMaxContents = uint64_t{96} << 20;
// Paths with fewer stored bytes are not worth a look.
constexpr uint64_t kMinStored = uint64_t{4} << 10;
constexpr size_t kMaxExamples = 5;

struct Candidate {
  PathNumber path;
  RepositoryReport::Sum sum;
  ListRank largest;
  // The result:
  bool incompressible = false;
  KnownContent content;
  double entropy = 0;
};

// The paths with the most stored bytes, as far as the limits allow.
std::vector<Candidate> ChooseCandidates(const ReportInput& input) {
  const ObjectList& list = input.history.list;
  std::map<PathNumber, Candidate> by_path;
  for (const ListRank rank : list.ids.ranks()) {
    if (list.types[rank] != ObjectType::kBlob ||
        list.sizes[rank] < Compressibility::kMinSize ||
        list.sizes[rank] > kMaxContent) {
      continue;
    }
    const auto [at, added] = by_path.try_emplace(
        list.paths[rank], Candidate{list.paths[rank], {}, rank, {}, {}, {}});
    Candidate& candidate = at->second;
    ++candidate.sum.objects;
    candidate.sum.content_bytes += list.sizes[rank];
    candidate.sum.stored_bytes += input.stored[rank].bytes;
    if (list.sizes[rank] > list.sizes[candidate.largest]) {
      candidate.largest = rank;
    }
  }
  std::vector<Candidate> candidates;
  for (const auto& [path, candidate] : by_path) {
    if (candidate.sum.stored_bytes >= kMinStored) {
      candidates.push_back(candidate);
    }
  }
  std::ranges::stable_sort(
      candidates, std::greater(),
      [](const Candidate& row) { return row.sum.stored_bytes; });
  uint64_t bytes = 0;
  size_t count = 0;
  while (count < std::min(candidates.size(), kMaxPaths) &&
         bytes < kMaxContents) {
    bytes += list.sizes[candidates[count++].largest];
  }
  candidates.resize(count);
  return candidates;
}

Status Examine(const ReportInput& input, Compressibility& compressibility,
               Candidate& candidate) {
  Bytes content;
  ZPACK_TRY(
      input.source.Read(input.history.list.ids[candidate.largest], content));
  candidate.content = RecognizeContent(content);
  ZPACK_ASSIGN_OR_RETURN(candidate.incompressible,
                         compressibility.IsIncompressible(content));
  candidate.entropy = Entropy(content);
  return {};
}

std::string_view KindName(ContentKind kind) {
  switch (kind) {
    case ContentKind::kMedia:
      return "media";
    case ContentKind::kArchive:
      return "archive";
    case ContentKind::kEncrypted:
      return "encrypted";
    case ContentKind::kOther:
      break;
  }
  return "unknown";
}

}  // namespace

Status FindIncompressible(const ReportInput& input, const RunOptions& run,
                          RepositoryReport& report) {
  std::vector<Candidate> candidates = ChooseCandidates(input);
  const Status examined =
      ParallelFor(ResolveThreads(run.threads), run.stop, candidates.size(), 8,
                  [&](uint64_t begin, uint64_t end) -> Status {
                    Compressibility compressibility;
                    for (uint64_t i = begin; i < end; ++i) {
                      ZPACK_TRY(Examine(input, compressibility, candidates[i]));
                    }
                    return {};
                  });
  ZPACK_TRY(examined);
  const PathTable& paths = input.history.list.path_table;
  std::map<std::string, uint64_t> extensions;
  std::map<std::string_view, RepositoryReport::Incompressible> reasons;
  for (const Candidate& candidate : candidates) {
    if (!candidate.incompressible &&
        candidate.content.kind != ContentKind::kEncrypted) {
      continue;
    }
    const std::string_view reason = candidate.content.name.empty()
                                        ? "high entropy"
                                        : candidate.content.name;
    RepositoryReport::Incompressible& row = reasons[reason];
    row.reason = reason;
    row.kind = KindName(candidate.content.kind);
    ++row.files;
    row.sum.objects += candidate.sum.objects;
    row.sum.content_bytes += candidate.sum.content_bytes;
    row.sum.stored_bytes += candidate.sum.stored_bytes;
    row.entropy = std::max(row.entropy, candidate.entropy);
    const std::string path = paths.FullPath(candidate.path);
    if (row.examples.size() < kMaxExamples) row.examples.push_back(path);
    AdviseOnFile({path, candidate.sum, {}, {}}, row.kind, report);
    extensions[std::string(FileExtension(paths.Name(candidate.path)))] +=
        candidate.sum.stored_bytes;
  }
  AdviseOnExtensions(extensions, report);
  for (auto& [reason, row] : reasons) {
    report.incompressible.push_back(std::move(row));
  }
  std::ranges::stable_sort(
      report.incompressible, std::greater(),
      [](const auto& row) { return row.sum.stored_bytes; });
  return {};
}

}  // namespace zpack
