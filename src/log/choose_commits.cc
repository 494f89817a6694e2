// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/choose_commits.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "history/commit_shares.h"
#include "log/commit_changes.h"

namespace zpack::log {
namespace {

// A file that a commit changes.
struct PlacedSides {
  uint32_t position = 0;  // of the commit
  PickaxeSearch::Sides sides;
};

// Leaves each pair of sides of a commit once.
void RemoveCopies(std::vector<PlacedSides>& files) {
  const auto key = [](const PlacedSides& file) {
    const auto& [before, after] = file.sides;
    return std::tuple(before.object, after.object, before.mode, after.mode);
  };
  std::ranges::sort(files, {}, key);
  const auto rest = std::ranges::unique(files, {}, key);
  files.erase(rest.begin(), rest.end());
}

class CommitChooser {
 public:
  CommitChooser(const PickaxeChoice& choice,
                const std::vector<ObjectNumber>& commits)
      : choice_(choice),
        commits_(commits),
        counts_(commits.size()),
        chosen_(commits.size()) {}

  Result<std::vector<uint8_t>> Run() {
    // Any file may be the source of a copy.
    const bool any = choice_.options.renames == RenameSearch::kCopiesHarder;
    if (any) ZPACK_TRY(choice_.pickaxe.Search());
    ZPACK_ASSIGN_OR_RETURN(const bool has_all, ListAll());
    if (!any) ZPACK_TRY(choice_.pickaxe.Search(WantedBlobs()));
    if (has_all) {
      ZPACK_TRY(JudgeFiles());
      return std::move(chosen_);
    }
    for (size_t begin = 0; begin < commits_.size();) {
      const size_t end = EndOfBatch(begin);
      ZPACK_TRY(List(begin, end, [&](std::span<const PlacedSides> found) {
        files_.insert(files_.end(), found.begin(), found.end());
      }));
      ZPACK_TRY(JudgeFiles());
      files_.clear();
      begin = end;
    }
    return std::move(chosen_);
  }

 private:
  // Gets the files of one commit, by one thread at a time.
  using Take = std::function<void(std::span<const PlacedSides>)>;

  // Lists the changed files of the commits from `begin` to before `end`, in no
  // order.
  Status List(size_t begin, size_t end, const Take& take) const {
    std::mutex mutex;  // guards what `take` changes
    const ShareBody list = [&](uint64_t first, uint64_t last) -> Status {
      CommitChanges changes(choice_.archive, choice_.blocks);
      std::vector<PlacedSides> found;
      for (uint64_t i = begin + first; i < begin + last; ++i) {
        ZPACK_TRY(FindFiles(changes, i, found));
        const std::lock_guard<std::mutex> lock(mutex);
        take(found);
      }
      return {};
    };
    return ForSharesOfCommits(
        end - begin, TreeThreads(choice_.archive, choice_.options.threads),
        choice_.options.stop, list);
  }

  // Sets `found` to the files of the commit at `position`. Of those with the
  // same sides, it has one.
  Status FindFiles(CommitChanges& changes, uint64_t position,
                   std::vector<PlacedSides>& found) const {
    constexpr size_t kFirstLooked = 1000;
    ZPACK_TRY(CheckStop(choice_.options.stop));
    found.clear();
    const ObjectNumber commit = commits_[position];
    ZPACK_ASSIGN_OR_RETURN(
        const ComparedWith with,
        ParentToCompare(changes.graph(), commit, choice_.options.first_parent));
    if (!with.compared) return {};
    size_t looked = kFirstLooked;
    const auto add = [&](const TreeChange& change) -> Status {
      found.push_back({static_cast<uint32_t>(position),
                       {change.before.front(), change.after}});
      if (found.size() < looked) return {};
      RemoveCopies(found);
      looked = std::max(kFirstLooked, 2 * found.size());
      return {};
    };
    ZPACK_VISIT(changes.Compare(commit, with.parent, choice_.paths, add,
                                DirectoriesFor(choice_.options)),
                {});
    const auto is_added = [](const PlacedSides& file) {
      return !file.sides.first.exists();
    };
    if (with.parent && std::ranges::any_of(found, is_added)) {
      ZPACK_TRY(AddSources(changes, *with.parent, found));
    }
    RemoveCopies(found);
    return {};
  }

  // Adds what the added files may be copies of, as if it were removed: a copy
  // of a file that the pickaxe would want then may be wanted itself.
  Status AddSources(CommitChanges& changes, ObjectNumber parent,
                    std::vector<PlacedSides>& found) const {
    const RenameSearch renames = choice_.options.renames;
    const uint32_t position = found.front().position;
    if (renames == RenameSearch::kCopies) {
      for (size_t i = 0, end = found.size(); i < end; ++i) {
        found.push_back({position, {found[i].sides.first, {}}});
      }
    }
    if (renames != RenameSearch::kCopiesHarder) return {};
    // All files of the parent, of which one is enough.
    const auto look = [&](const TreeChange& file) {
      using Answer = PickaxeSearch::Answer;
      if (!choice_.pickaxe.HasText(file.after) ||
          choice_.pickaxe.Judge(file.after, {}) == Answer::kNo) {
        return Visit::kContinue;
      }
      found.push_back({position, {file.after, {}}});
      return Visit::kStop;
    };
    ZPACK_TRY(changes.Compare(parent, std::nullopt, choice_.paths, look));
    return {};
  }

  // Counts the files of each commit and notes their blobs. Whether `files_` has
  // all files: otherwise it has none.
  Result<bool> ListAll() {
    wanted_.resize(choice_.archive.object_count());
    bool has_all = true;
    ZPACK_TRY(List(0, commits_.size(), [&](std::span<const PlacedSides> found) {
      if (found.empty()) return;
      counts_[found.front().position] = static_cast<uint32_t>(found.size());
      for (const PlacedSides& file : found) Note(file.sides);
      has_all = has_all && files_.size() + found.size() <= choice_.most_files;
      if (has_all) {
        files_.insert(files_.end(), found.begin(), found.end());
      } else {
        files_.clear();
        files_.shrink_to_fit();
      }
    }));
    return has_all;
  }

  void Note(const PickaxeSearch::Sides& sides) {
    for (const TreeSide* const side : {&sides.first, &sides.second}) {
      if (choice_.pickaxe.HasText(*side)) wanted_[side->object.value()] = true;
    }
  }

  // The blobs to be searched, in ascending order.
  std::vector<ObjectNumber> WantedBlobs() const {
    std::vector<ObjectNumber> blobs;
    for (uint32_t number = 0; number < wanted_.size(); ++number) {
      if (wanted_[number]) blobs.push_back(ObjectNumber(number));
    }
    return blobs;
  }

  // Where the commits from `begin` on have too many files; behind `begin`.
  size_t EndOfBatch(size_t begin) const {
    size_t end = begin;
    for (uint64_t files = 0; end < commits_.size(); ++end) {
      files += counts_[end];
      if (end > begin && files > choice_.most_files) break;
    }
    return end;
  }

  // Chooses the commits of `files_`.
  Status JudgeFiles() {
    using Answer = PickaxeSearch::Answer;
    std::vector<PlacedSides> open;
    std::vector<PickaxeSearch::Sides> sides;
    for (const PlacedSides& file : files_) {
      const Answer answer =
          choice_.pickaxe.Judge(file.sides.first, file.sides.second);
      if (answer == Answer::kUnknown &&
          choice_.pickaxe.CanCompare(file.sides)) {
        open.push_back(file);
        sides.push_back(file.sides);
      } else if (answer != Answer::kNo) {
        chosen_[file.position] = 1;
      }
    }
    ZPACK_TRY(choice_.pickaxe.Compare(std::move(sides)));
    for (const auto& [position, pair] : open) {
      if (choice_.pickaxe.Judge(pair.first, pair.second) == Answer::kYes) {
        chosen_[position] = 1;
      }
    }
    return {};
  }

  const PickaxeChoice& choice_;
  const std::vector<ObjectNumber>& commits_;
  std::vector<uint32_t> counts_;  // of the files of each commit
  std::vector<bool> wanted_;      // by object: a blob of a file
  std::vector<PlacedSides> files_;
  std::vector<uint8_t> chosen_;
};

}  // namespace

Result<std::vector<uint8_t>> ChooseCommits(
    const PickaxeChoice& choice, const std::vector<ObjectNumber>& commits) {
  return CommitChooser(choice, commits).Run();
}

}  // namespace zpack::log
