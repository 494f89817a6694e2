// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/choose_commits.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "log/commit_changes.h"
#include "reader/decoders.h"

namespace zpack::log {
namespace {

// A file that a commit changes.
struct PlacedSides {
  size_t position = 0;  // of the commit
  PickaxeSearch::Sides sides;
};

// Lists the files of a share of the commits.
class ShareOfCommits {
 public:
  ShareOfCommits(const PickaxeChoice& choice,
                 const NumberedTrees::Blocks& blocks)
      : choice_(choice), changes_(choice.archive, blocks) {}

  Status Look(ObjectNumber commit, size_t position) {
    ZPACK_ASSIGN_OR_RETURN(const ComparedWith with,
                           ParentToCompare(changes_.graph(), commit,
                                           choice_.options.first_parent));
    if (!with.compared) return {};
    ZPACK_TRY(changes_.Read(commit, with.parent, choice_.paths, pairs_));
    for (const FilePair& pair : pairs_) {
      files_.push_back({position, {pair.before, pair.after}});
    }
    return {};
  }

  const std::vector<PlacedSides>& files() const { return files_; }

 private:
  const PickaxeChoice& choice_;
  CommitChanges changes_;
  std::vector<PlacedSides> files_;
  std::vector<FilePair> pairs_;  // reused
};

// The changed files of all these commits, in no order.
Result<std::vector<PlacedSides>> ListFiles(
    const PickaxeChoice& choice, const std::vector<ObjectNumber>& commits) {
  // The trees of neighbours have the same bases, so shares are long.
  constexpr unsigned kMostShares = 4;
  const unsigned threads =
      std::min({ResolveThreads(choice.options.threads), kMostShares,
                MaxDecoders(choice.archive.blocks().blocks_stored_size())});
  const uint64_t share = std::max<uint64_t>(
      1000, (commits.size() + threads - 1) / std::max(threads, 1U));
  const auto blocks = NumberedTrees::MakeBlocks(choice.archive, threads);
  std::vector<PlacedSides> files;
  std::mutex mutex;  // guards `files`
  const auto look = [&](uint64_t begin, uint64_t end) -> Status {
    ShareOfCommits commits_of_thread(choice, blocks);
    for (uint64_t i = begin; i < end; ++i) {
      ZPACK_TRY(CheckStop(choice.options.stop));
      ZPACK_TRY(commits_of_thread.Look(commits[i], i));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    const auto& found = commits_of_thread.files();
    files.insert(files.end(), found.begin(), found.end());
    return {};
  };
  ZPACK_TRY(
      ParallelFor(threads, choice.options.stop, commits.size(), share, look));
  return files;
}

// The blobs to be searched for these files, in ascending order.
std::vector<ObjectNumber> BlobsOf(const std::vector<PlacedSides>& files,
                                  const PickaxeChoice& choice) {
  std::vector<ObjectNumber> blobs;
  for (const PlacedSides& file : files) {
    for (const TreeSide* const side : {&file.sides.first, &file.sides.second}) {
      if (choice.pickaxe.HasText(*side)) blobs.push_back(side->object);
    }
  }
  std::ranges::sort(blobs);
  const auto rest = std::ranges::unique(blobs);
  blobs.erase(rest.begin(), rest.end());
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
