// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The method is that of diffcore-rename in Git: equal files first, then files
// whose names are unique and equal, then the most similar ones of all. Which of
// several answers is given depends on the order in which each step looks at the
// files, so that order is Git's as well.

#include "log/renames.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "log/rename_finder.h"

namespace zpack::log {
namespace {

// Git takes a source among the first of this number that are equal.
constexpr size_t kMostEqualSources = 100;
constexpr uint32_t kTypeMask = 0170000;
constexpr uint32_t kRegularFile = 0100000;

bool IsRegularFile(const TreeSide& side) {
  return (side.mode & kTypeMask) == kRegularFile;
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// Files that can be equal: of one object, and of one mode unless regular.
struct EqualFiles {
  explicit EqualFiles(const TreeSide& side)
      : object(side.object),
        mode(IsRegularFile(side) ? kRegularFile : side.mode) {}
  bool operator==(const EqualFiles&) const = default;

  ObjectNumber object;
  uint32_t mode;
};
struct HashEqualFiles {
  size_t operator()(const EqualFiles& files) const {
    return std::hash<ObjectNumber>()(files.object) ^ files.mode;
  }
};

}  // namespace

RenameFinder::RenameFinder(const RenameOptions& options, BlobTexts& texts,
                           std::vector<FilePair>& pairs)
    : options_(options),
      min_similarity_(options.min_similarity == 0
                          ? RenameOptions().min_similarity
                          : std::min(options.min_similarity, kMostSimilar)),
      pairs_(pairs),
      similarity_(texts) {
  if (options.search == RenameSearch::kNone) return;
  for (uint32_t i = 0; i < pairs.size(); ++i) {
    const FilePair& pair = pairs[i];
    if (pair.is_added()) {
      if (options.only.empty() || options.only == pair.new_path) {
        targets_.push_back({.pair = i,
                            .name = BaseName(pair.new_path),
                            .source = std::nullopt});
      }
    } else if (pair.is_removed()) {
      sources_.push_back({.pair = i, .name = BaseName(pair.old_path)});
    } else if (options.search == RenameSearch::kCopiesHarder ||
               (WithCopies() && !pair.is_unchanged())) {
      sources_.push_back(
          {.pair = i, .name = BaseName(pair.old_path), .uses = 1});
    }
  }
}

Status RenameFinder::Find() {
  if (sources_.empty() || targets_.empty()) return {};
  MatchEqual();
  if (min_similarity_ == kMostSimilar) return {};
  if (!WithCopies()) ZPACK_TRY(MatchUniqueNames());
  return MatchSimilar();
}

void RenameFinder::MatchEqual() {
  // Mostly there are many sources and few targets, so only sources that are
  // equal to a target get into the table.
  std::unordered_map<EqualFiles, std::vector<SourceIndex>, HashEqualFiles>
      equal;
  for (const Target& target : targets_) {
    equal.try_emplace(EqualFiles(pairs_[target.pair].after));
  }
  for (auto source = static_cast<SourceIndex>(sources_.size()); source-- > 0;) {
    const auto found = equal.find(EqualFiles(old_file(source).before));
    if (found != equal.end()) found->second.push_back(source);
  }
  for (TargetIndex target = 0; target < targets_.size(); ++target) {
    std::vector<SourceIndex>& sources =
        equal.find(EqualFiles(new_file(target).after))->second;
    if (sources.empty()) continue;
    const size_t best = ChooseEqual(sources, target);
    Match(sources[best], target, kMostSimilar);
    // It is near the end, so this is cheap even if there are very many.
    if (!WithCopies()) {
      sources.erase(sources.begin() + static_cast<ptrdiff_t>(best));
    }
  }
}

size_t RenameFinder::ChooseEqual(std::span<const SourceIndex> sources,
                                 TargetIndex target) const {
  const size_t end =
      sources.size() - std::min(sources.size(), kMostEqualSources);
  size_t best = sources.size();
  int best_merit = -1;
  for (size_t i = sources.size(); i-- > end && best_merit < 2;) {
    const int merit = (sources_[sources[i]].uses == 0 ? 1 : 0) +
                      (HasSameName(sources[i], target) ? 1 : 0);
    if (merit > best_merit) {
      best = i;
      best_merit = merit;
    }
  }
  return best;
}

std::vector<RenameFinder::SourceIndex> RenameFinder::OpenSources() {
  std::vector<SourceIndex> open;
  for (SourceIndex i = 0; i < sources_.size(); ++i) {
    if (!WithCopies() && sources_[i].uses > 0) continue;
    open.push_back(i);
    const TreeSide& side = old_file(i).before;
    if (IsRegularFile(side)) sources_[i].blob = similarity_.Add(side.object);
  }
  return open;
}

std::vector<RenameFinder::TargetIndex> RenameFinder::OpenTargets() {
  std::vector<TargetIndex> open;
  for (TargetIndex i = 0; i < targets_.size(); ++i) {
    if (targets_[i].source) continue;
    open.push_back(i);
    const TreeSide& side = new_file(i).after;
    if (IsRegularFile(side)) targets_[i].blob = similarity_.Add(side.object);
  }
  return open;
}

Status RenameFinder::MatchUniqueNames() {
  // An index, or nothing if several files have the name.
  std::unordered_map<std::string_view, std::optional<SourceIndex>> old_names;
  std::unordered_map<std::string_view, std::optional<TargetIndex>> new_names;
  const std::vector<SourceIndex> sources = OpenSources();
  for (const SourceIndex source : sources) {
    const auto [name, is_new] =
        old_names.try_emplace(sources_[source].name, source);
    if (!is_new) name->second.reset();
  }
  for (const TargetIndex target : OpenTargets()) {
    const auto [name, is_new] =
        new_names.try_emplace(targets_[target].name, target);
    if (!is_new) name->second.reset();
  }
  // A name alone is a weaker hint than the best similarity among many files.
  const uint32_t min_similarity =
      min_similarity_ + (kMostSimilar - min_similarity_) / 2;
  for (const SourceIndex source : sources) {
    const std::string_view name = sources_[source].name;
    const auto found = new_names.find(name);
    if (found == new_names.end() || !found->second || !old_names[name]) {
      continue;
    }
    const TargetIndex target = *found->second;
    ZPACK_TRY(CheckStop(options_.stop));
    ZPACK_ASSIGN_OR_RETURN(const uint32_t similarity,
                           Estimate(source, target, min_similarity));
    if (similarity >= min_similarity) Match(source, target, similarity);
  }
  return {};
}

bool RenameFinder::ExceedsLimit(uint64_t sources, uint64_t targets) const {
  const uint64_t limit = options_.limit;
  // There are fewer than 2^32 pairs.
  if (limit == 0 || limit > UINT32_MAX) return false;
  return sources * targets > limit * limit;
}

Status RenameFinder::MatchSimilar() {
  const std::vector<TargetIndex> targets = OpenTargets();
  if (targets.empty()) return {};
  std::vector<SourceIndex> sources = OpenSources();
  if (sources.empty()) return {};
  if (ExceedsLimit(sources.size(), targets.size())) {
    if (options_.search != RenameSearch::kCopiesHarder) return {};
    std::erase_if(sources, [this](SourceIndex source) {
      return old_file(source).is_unchanged();
    });
    if (ExceedsLimit(sources.size(), targets.size())) return {};
  }
  std::vector<Candidate> candidates;
  for (const TargetIndex target : targets) {
    ZPACK_TRY(CheckStop(options_.stop));
    ZPACK_ASSIGN_OR_RETURN(const Candidates best,
                           FindCandidates(sources, target));
    candidates.insert(candidates.end(), best.begin(), best.end());
    if (IsRegularFile(new_file(target).after)) {
      similarity_.Forget(targets_[target].blob);
    }
  }
  MatchCandidates(std::move(candidates));
  return {};
}

Result<RenameFinder::Candidates> RenameFinder::FindCandidates(
    std::span<const SourceIndex> sources, TargetIndex target) {
  Candidates best;
  for (const SourceIndex source : sources) {
    ZPACK_ASSIGN_OR_RETURN(const uint32_t similarity,
                           Estimate(source, target, min_similarity_));
    const auto merit = static_cast<int32_t>(
        2 * similarity + (HasSameName(source, target) ? 1 : 0));
    // Candidates of equal merit are matched in the order of their places, so
    // also one that is not similar enough has a place.
    Candidate& worst = *std::ranges::min_element(best, {}, &Candidate::merit);
    if (merit > worst.merit) worst = {merit, source, target};
  }
  return best;
}

void RenameFinder::MatchCandidates(std::vector<Candidate> candidates) {
  std::erase_if(candidates, [this](const Candidate& candidate) {
    return candidate.merit < static_cast<int32_t>(2 * min_similarity_);
  });
  std::ranges::stable_sort(candidates, std::ranges::greater(),
                           &Candidate::merit);
  const auto match = [&](bool also_used) {
    for (const Candidate& candidate : candidates) {
      if (targets_[candidate.target].source) continue;
      if (!also_used && sources_[candidate.source].uses > 0) continue;
      Match(candidate.source, candidate.target,
            static_cast<uint32_t>(candidate.merit) / 2);
    }
  };
  match(false);
  if (WithCopies()) match(true);
}

Result<uint32_t> RenameFinder::Estimate(SourceIndex source, TargetIndex target,
                                        uint32_t min_similarity) {
  if (!IsRegularFile(old_file(source).before) ||
      !IsRegularFile(new_file(target).after)) {
    return 0;
  }
  return similarity_.Estimate(sources_[source].blob, targets_[target].blob,
                              min_similarity);
}

void RenameFinder::Store() {
  std::vector<bool> moved(pairs_.size());
  for (const Source& source : sources_) {
    moved[source.pair] = pairs_[source.pair].is_removed() && source.uses > 0;
  }
  for (const Target& target : targets_) {
    if (!target.source) continue;
    Source& source = sources_[*target.source];
    FilePair& pair = pairs_[target.pair];
    pair.before = pairs_[source.pair].before;
    pair.old_path = pairs_[source.pair].old_path;
    pair.renamed = true;
    pair.similarity = target.similarity;
    // The last one of a file that is gone was renamed.
    pair.copied = --source.uses > 0;
  }
  size_t count = 0;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (moved[i] || pairs_[i].is_unchanged()) continue;
    if (count != i) pairs_[count] = std::move(pairs_[i]);
    ++count;
  }
  pairs_.resize(count);
}

Status FindRenames(const RenameOptions& options, BlobTexts& texts,
                   std::vector<FilePair>& pairs) {
  RenameFinder finder(options, texts, pairs);
  ZPACK_TRY(finder.Find());
  finder.Store();
  return {};
}

}  // namespace zpack::log
