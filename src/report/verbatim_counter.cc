// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/verbatim_counter.h"

#include <algorithm>
#include <functional>

#include "format/commit_text.h"
#include "format/tree_text.h"

namespace zpack {

void VerbatimCounter::Add(const DecodedBlock& block, size_t index,
                          std::string_view reason) {
  const ObjectType type = block.objects.header.type;
  FileStatistics::Verbatim& sum = sums_[{type, reason}];
  sum.type = type;
  sum.reason = reason;
  ++sum.objects;
  sum.content_bytes += block.objects.sizes[index];
  if (sum.examples.size() == FileStatistics::kMaxExamples) return;
  const ObjectNumber number =
      block.objects.header.first_object + static_cast<uint32_t>(index);
  sum.examples.push_back(archive_.ids()[archive_.rank(number)]);
}

void VerbatimCounter::AddTrees(const DecodedBlock& block) {
  Bytes content;
  for (uint32_t index = 0; index < block.trees()->count(); ++index) {
    if (!block.trees()->IsVerbatim(index)) continue;
    // Another writer may store trees verbatim for other reasons. Then there is
    // no flaw.
    const auto flaw = format::FindTreeFlaw(*block.Object(index, content),
                                           archive_.header().object_format);
    Add(block, index, format::FlawName(flaw));
  }
}

void VerbatimCounter::AddCommits(const DecodedBlock& block) {
  format::CommitText text;
  for (size_t index = 0; index < block.objects.sizes.size(); ++index) {
    // A commit in columns can always be split again, so commits that cannot be
    // split are stored verbatim.
    const auto flaw = format::SplitCommit(
        block.Whole(index), archive_.header().object_format, text);
    if (flaw != format::CommitFlaw::kNone) {
      Add(block, index, format::FlawName(flaw));
    }
  }
}

std::vector<FileStatistics::Verbatim> VerbatimCounter::Finish() const {
  std::vector<FileStatistics::Verbatim> sums;
  sums.reserve(sums_.size());
  for (const auto& [key, sum] : sums_) sums.push_back(sum);
  std::ranges::stable_sort(sums, std::greater(),
                           &FileStatistics::Verbatim::content_bytes);
  return sums;
}

}  // namespace zpack
