// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/choose_commits.h"

#include <mutex>
#include <utility>

#include "base/error.h"
#include "history/commit_shares.h"
#include "log/commit_changes.h"

namespace zpack::log {
namespace {

// A file that a commit changes.
struct PlacedSides {
  size_t position = 0;  // of the commit
  PickaxeSearch::Sides sides;
};

// Adds the files of a commit.
Status AddFiles(const PickaxeChoice& choice, CommitChanges& changes,
                ObjectNumber commit, size_t position,
                std::vector<PlacedSides>& files) {
  ZPACK_TRY(CheckStop(choice.options.stop));
  ZPACK_ASSIGN_OR_RETURN(
      const ComparedWith with,
      ParentToCompare(changes.graph(), commit, choice.options.first_parent));
  if (!with.compared) return {};
  std::vector<FilePair> pairs;
  ZPACK_TRY(changes.Read(commit, with.parent, choice.paths, pairs,
                         DirectoriesFor(choice.options)));
  for (const FilePair& pair : pairs) {
    files.push_back({position, {pair.before, pair.after}});
  }
  return {};
}

// The changed files of all these commits, in no order.
Result<std::vector<PlacedSides>> ListFiles(
    const PickaxeChoice& choice, const std::vector<ObjectNumber>& commits) {
  std::vector<PlacedSides> files;
  std::mutex mutex;  // guards `files`
  const ShareBody list = [&](uint64_t begin, uint64_t end) -> Status {
    CommitChanges changes(choice.archive, choice.blocks);
    std::vector<PlacedSides> found;
    for (uint64_t i = begin; i < end; ++i) {
      ZPACK_TRY(AddFiles(choice, changes, commits[i], i, found));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    files.insert(files.end(), found.begin(), found.end());
    return {};
  };
  ZPACK_TRY(ForSharesOfCommits(
      commits.size(), TreeThreads(choice.archive, choice.options.threads),
      choice.options.stop, list));
  return files;
}

// The blobs to be searched for these files, in ascending order.
std::vector<ObjectNumber> BlobsOf(const std::vector<PlacedSides>& files,
                                  const PickaxeChoice& choice) {
  std::vector<bool> wanted(choice.archive.object_count());
  for (const PlacedSides& file : files) {
    for (const TreeSide* const side : {&file.sides.first, &file.sides.second}) {
      if (choice.pickaxe.HasText(*side)) wanted[side->object.value()] = true;
    }
  }
  std::vector<ObjectNumber> blobs;
  for (uint32_t number = 0; number < wanted.size(); ++number) {
    if (wanted[number]) blobs.push_back(ObjectNumber(number));
  }
  return blobs;
}

}  // namespace

Result<std::vector<uint8_t>> ChooseCommits(
    const PickaxeChoice& choice, const std::vector<ObjectNumber>& commits) {
  using Answer = PickaxeSearch::Answer;
  ZPACK_ASSIGN_OR_RETURN(const std::vector<PlacedSides> files,
                         ListFiles(choice, commits));
  // Any file may be the source of a copy.
  const bool any = choice.options.renames == RenameSearch::kCopiesHarder;
  const std::vector<ObjectNumber> blobs = BlobsOf(files, choice);
  ZPACK_TRY(any ? choice.pickaxe.Search() : choice.pickaxe.Search(blobs));
  std::vector<uint8_t> chosen(commits.size());
  std::vector<PlacedSides> open;
  std::vector<PickaxeSearch::Sides> sides;
  for (const PlacedSides& file : files) {
    const Answer answer =
        choice.pickaxe.Judge(file.sides.first, file.sides.second);
    if (answer == Answer::kUnknown && choice.pickaxe.CanCompare(file.sides)) {
      open.push_back(file);
      sides.push_back(file.sides);
    } else if (answer != Answer::kNo) {
      chosen[file.position] = 1;
    }
  }
  ZPACK_TRY(choice.pickaxe.Compare(std::move(sides)));
  for (const auto& [position, pair] : open) {
    if (choice.pickaxe.Judge(pair.first, pair.second) == Answer::kYes) {
      chosen[position] = 1;
    }
  }
  return chosen;
}

}  // namespace zpack::log
