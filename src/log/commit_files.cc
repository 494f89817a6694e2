// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/commit_files.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "log/archive_texts.h"

namespace zpack::log {
namespace {

bool IsUpper(char c) { return IsLetter(c) && ToLower(c) != c; }

// Whether LogOptions::diff_filter leaves a status letter.
bool Passes(const std::string& filter, char status) {
  if (filter.contains(ToLower(status))) return false;
  return filter.contains(status) || std::ranges::none_of(filter, IsUpper);
}

// Leaves the files with wanted status letters; with '*', all or none.
void KeepStatuses(std::string filter, std::vector<FilePair>& pairs) {
  const bool all_or_none = std::erase(filter, '*') > 0;
  if (filter.empty() && !all_or_none) return;
  const auto passes = [&](const FilePair& pair) {
    return Passes(filter, StatusOf(pair));
  };
  if (all_or_none) {
    if (std::ranges::none_of(pairs, passes)) pairs.clear();
  } else {
    std::erase_if(pairs, std::not_fn(passes));
  }
}

}  // namespace

char StatusOf(const FilePair& pair) {
  if (pair.renamed) return pair.copied ? 'C' : 'R';
  if (pair.is_added()) return 'A';
  if (pair.is_removed()) return 'D';
  constexpr uint32_t kType = 0170000;
  return (pair.before.mode & kType) != (pair.after.mode & kType) ? 'T' : 'M';
}

CommitFiles::CommitFiles(const ArchiveFile& archive, const LogOptions& options,
                         search::Pathspec paths, std::string followed,
                         PickaxeSearch* pickaxe)
    : options_(options),
      paths_(std::move(paths)),
      followed_(std::move(followed)),
      pickaxe_(pickaxe),
      changes_(archive),
      texts_(archive, changes_.trees()) {}

RenameOptions CommitFiles::RenamesWith(RenameSearch search) const {
  return {.search = search,
          .min_similarity = options_.min_similarity,
          .limit = options_.rename_limit,
          .stop = options_.stop};
}

Result<bool> CommitFiles::Follow(ObjectNumber commit,
                                 std::optional<ObjectNumber> parent,
                                 std::vector<FilePair>& pairs) {
  std::vector<FilePair> all;
  ZPACK_TRY(changes_.ReadAll(commit, parent, search::Pathspec(), all));
  RenameOptions renames = RenamesWith(RenameSearch::kCopiesHarder);
  renames.only = followed_;
  // Git does not pass on the limit.
  renames.limit = LogOptions().rename_limit;
  ZPACK_TRY(FindRenames(renames, texts_, all));
  const auto found = std::ranges::find_if(all, [&](const FilePair& pair) {
    return pair.renamed && pair.new_path == followed_;
  });
  pairs.resize(1);
  if (found == all.end()) return false;
  pairs.front() = *found;
  followed_ = found->old_path;
  ZPACK_ASSIGN_OR_RETURN(paths_,
                         search::Pathspec::Parse({":(literal)" + followed_}));
  return true;
}

Status CommitFiles::KeepWanted(std::vector<FilePair>& pairs) {
  if (pickaxe_ == nullptr) return {};
  // If only the commit is shown, one file is enough.
  const bool one_is_enough = !options_.files && options_.diff_filter.empty();
  std::vector<FilePair> wanted;
  std::set<std::string> dropped;  // sources of renames
  for (FilePair& pair : pairs) {
    ZPACK_ASSIGN_OR_RETURN(const bool wants,
                           pickaxe_->Wants(pair, changes_.trees()));
    if (wants && options_.pickaxe_all) return {};
    if (wants) {
      wanted.push_back(std::move(pair));
      if (one_is_enough) break;
    } else if (pair.renamed) {
      dropped.insert(pair.old_path);
    }
  }
  pairs = std::move(wanted);
  // Of several files from one, Git calls the last one that it looks at a
  // rename, which is perhaps not shown.
  for (FilePair& pair : pairs) {
    if (pair.renamed && dropped.contains(pair.old_path)) pair.copied = true;
  }
  return {};
}

Status CommitFiles::Read(ObjectNumber commit,
                         std::optional<ObjectNumber> parent,
                         std::vector<FilePair>& pairs) {
  const bool harder = options_.renames == RenameSearch::kCopiesHarder;
  ZPACK_TRY(harder ? changes_.ReadAll(commit, parent, paths_, pairs)
                   : changes_.Read(commit, parent, paths_, pairs));
  bool followed = false;
  // Like Git, does not look at one of several files, which a pathspec of a
  // directory may find.
  if (options_.follow && pairs.size() == 1 && pairs.front().is_added()) {
    ZPACK_ASSIGN_OR_RETURN(followed, Follow(commit, parent, pairs));
  }
  if (options_.renames != RenameSearch::kNone && !followed) {
    ZPACK_TRY(FindRenames(RenamesWith(options_.renames), texts_, pairs));
  }
  ZPACK_TRY(KeepWanted(pairs));
  KeepStatuses(options_.diff_filter, pairs);
  return {};
}

}  // namespace zpack::log
