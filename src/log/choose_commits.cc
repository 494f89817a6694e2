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

// Sides that have to be compared before their commit is chosen.
struct OpenQuestion {
  size_t position = 0;  // of the commit
  PickaxeSearch::Sides sides;
};

// Answers for a share of the commits.
class ShareOfCommits {
 public:
  ShareOfCommits(const PickaxeChoice& choice,
                 const NumberedTrees::Blocks& blocks,
                 std::vector<uint8_t>& chosen)
      : choice_(choice), chosen_(chosen), changes_(choice.archive, blocks) {}

  Status Look(ObjectNumber commit, size_t position) {
    ZPACK_ASSIGN_OR_RETURN(const ComparedWith with,
                           ParentToCompare(changes_.graph(), commit,
                                           choice_.options.first_parent));
    if (!with.compared) return {};
    ZPACK_TRY(changes_.Read(commit, with.parent, choice_.paths, pairs_));
    for (const FilePair& pair : pairs_) {
      const auto answer = choice_.pickaxe.Judge(pair.before, pair.after);
      const PickaxeSearch::Sides sides = {pair.before, pair.after};
      const bool is_open = answer == PickaxeSearch::Answer::kUnknown;
      if (answer == PickaxeSearch::Answer::kYes ||
          (is_open && !choice_.pickaxe.CanCompare(sides))) {
        chosen_[position] = 1;
      } else if (is_open) {
        questions_.push_back({position, sides});
      }
    }
    return {};
  }

  const std::vector<OpenQuestion>& questions() const { return questions_; }

 private:
  const PickaxeChoice& choice_;
  std::vector<uint8_t>& chosen_;
  CommitChanges changes_;
  std::vector<OpenQuestion> questions_;
  std::vector<FilePair> pairs_;  // reused
};

}  // namespace

Result<std::vector<uint8_t>> ChooseCommits(
    const PickaxeChoice& choice, const std::vector<ObjectNumber>& commits) {
  std::vector<uint8_t> chosen(commits.size());
  // The trees of neighbours have the same bases, so shares are long.
  constexpr unsigned kMostShares = 4;
  const unsigned threads =
      std::min({ResolveThreads(choice.options.threads), kMostShares,
                MaxDecoders(choice.archive.blocks().blocks_stored_size())});
  const uint64_t share = std::max<uint64_t>(
      1000, (commits.size() + threads - 1) / std::max(threads, 1U));
  const auto blocks = NumberedTrees::MakeBlocks(choice.archive, threads);
  std::vector<OpenQuestion> questions;
  std::mutex mutex;  // guards `questions`
  const auto look = [&](uint64_t begin, uint64_t end) -> Status {
    ShareOfCommits commits_of_thread(choice, blocks, chosen);
    for (uint64_t i = begin; i < end; ++i) {
      ZPACK_TRY(CheckStop(choice.options.stop));
      ZPACK_TRY(commits_of_thread.Look(commits[i], i));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    const auto& found = commits_of_thread.questions();
    questions.insert(questions.end(), found.begin(), found.end());
    return {};
  };
  ZPACK_TRY(
      ParallelFor(threads, choice.options.stop, commits.size(), share, look));
  std::vector<PickaxeSearch::Sides> sides;
  sides.reserve(questions.size());
  for (const OpenQuestion& question : questions) {
    sides.push_back(question.sides);
  }
  ZPACK_TRY(choice.pickaxe.Compare(std::move(sides)));
  for (const auto& [position, pair] : questions) {
    if (choice.pickaxe.Judge(pair.first, pair.second) ==
        PickaxeSearch::Answer::kYes) {
      chosen[position] = 1;
    }
  }
  return chosen;
}

}  // namespace zpack::log
