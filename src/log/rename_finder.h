// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of FindRenames, for renames.cc. Sources are the files that may have
// been renamed or copied, targets the added files. Thread-compatible.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "log/blob_texts.h"
#include "log/file_pair.h"
#include "log/renames.h"
#include "log/similarity.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::log {

class RenameFinder {
 public:
  RenameFinder(const RenameOptions& options, BlobTexts& texts,
               std::vector<FilePair>& pairs);

  Status Find();
  // Changes the pairs to what was found.
  void Store();

 private:
  using SourceIndex = uint32_t;
  using TargetIndex = uint32_t;

  struct Source {
    uint32_t pair = 0;
    std::string_view name;  // the last part of its path
    uint32_t uses = 0;      // the file itself counts if it is still there
    BlobSimilarity::Handle blob = 0;  // of one that takes part in estimates
  };
  struct Target {
    uint32_t pair = 0;
    std::string_view name;
    std::optional<SourceIndex> source;
    uint32_t similarity = 0;
    BlobSimilarity::Handle blob = 0;
  };
  struct Candidate {
    // Orders candidates: by similarity, then whether the base names are equal.
    int32_t merit = -1;  // -1: there is none
    SourceIndex source = 0;
    TargetIndex target = 0;
  };
  // Only so many sources of an added file are remembered.
  using Candidates = std::array<Candidate, 4>;

  const FilePair& old_file(SourceIndex source) const {
    return pairs_[sources_[source].pair];
  }
  const FilePair& new_file(TargetIndex target) const {
    return pairs_[targets_[target].pair];
  }
  bool WithCopies() const { return options_.search != RenameSearch::kRenames; }
  bool HasSameName(SourceIndex source, TargetIndex target) const {
    return sources_[source].name == targets_[target].name;
  }
  void Match(SourceIndex source, TargetIndex target, uint32_t similarity) {
    ++sources_[source].uses;
    targets_[target].source = source;
    targets_[target].similarity = similarity;
  }

  void MatchEqual();
  // The best of `sources`, which are in the reverse order.
  size_t ChooseEqual(std::span<const SourceIndex> sources,
                     TargetIndex target) const;
  Status MatchUniqueNames();
  // What may still be matched, with handles in `similarity_`.
  std::vector<SourceIndex> OpenSources();
  std::vector<TargetIndex> OpenTargets();
  bool ExceedsLimit(uint64_t sources, uint64_t targets) const;
  Status MatchSimilar();
  Result<Candidates> FindCandidates(std::span<const SourceIndex> sources,
                                    TargetIndex target);
  void MatchCandidates(std::vector<Candidate> candidates);
  // Of kMostSimilar, 0 unless both are regular files.
  Result<uint32_t> Estimate(SourceIndex source, TargetIndex target,
                            uint32_t min_similarity);

  const RenameOptions& options_;
  const uint32_t min_similarity_;
  std::vector<FilePair>& pairs_;
  BlobSimilarity similarity_;
  std::vector<Source> sources_;
  std::vector<Target> targets_;
};

}  // namespace zpack::log
