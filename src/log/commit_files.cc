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

// The letters that LogOptions::diff_filter leaves; empty: all.
std::string KeptStatuses(std::string_view filter) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string kept(filter);
  std::erase_if(kept, is_lower);
  // Some letter is left, though one of no file, even if all are given.
  if (kept.empty() && !filter.empty()) kept = "ACDMRTUXB ";
  std::erase_if(
      kept, [&](char c) { return filter.contains(ToLower(c)) && c != '*'; });
  return kept;
}

// Leaves the files with wanted status letters; with '*', all or none.
void KeepStatuses(const std::string& kept, std::vector<FilePair>& pairs) {
  if (kept.empty()) return;
  const auto passes = [&](const FilePair& pair) {
    return kept.contains(StatusOf(pair));
  };
  if (kept.contains('*')) {
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

CommitFiles::CommitFiles(const Sources& sources)
    : options_(sources.options),
      kept_(KeptStatuses(options_.diff_filter)),
      paths_(sources.paths),
      pickaxe_(sources.pickaxe),
      changes_(sources.archive, sources.blocks),
      texts_(sources.archive, sources.objects, changes_.trees()) {}

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
  const search::Pathspec everything;
  ZPACK_TRY(changes_.Read(commit, parent, everything, all));
  ZPACK_TRY(changes_.AddUnchanged(parent, everything, all));
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
  // If only the commit is shown, one file is enough.
  const bool one_is_enough = !options_.files && kept_.empty();
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
  const auto directories = DirectoriesFor(options_);
  ZPACK_TRY(changes_.Read(commit, parent, paths_, pairs, directories));
  bool followed = false;
  // Like Git, does not look at one of several files, which a pathspec of a
  // directory may find.
  if (options_.follow && pairs.size() == 1 && pairs.front().is_added()) {
    ZPACK_ASSIGN_OR_RETURN(followed, Follow(commit, parent, pairs));
  }
  if (options_.renames == RenameSearch::kCopiesHarder && !followed) {
    ZPACK_TRY(changes_.AddUnchanged(parent, paths_, pairs, directories));
  }
  if (options_.renames != RenameSearch::kNone && !followed) {
    ZPACK_TRY(FindRenames(RenamesWith(options_.renames), texts_, pairs));
  }
  if (pickaxe_ == nullptr) KeepStatuses(kept_, pairs);
  return {};
}

Status CommitFiles::Choose(std::vector<FilePair>& pairs) {
  if (pickaxe_ == nullptr) return {};
  ZPACK_TRY(KeepWanted(pairs));
  KeepStatuses(kept_, pairs);
  return {};
}

}  // namespace zpack::log
