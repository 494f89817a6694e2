// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/list_commits.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "history/commit_shares.h"
#include "history/commit_walk.h"
#include "log/choose_commits.h"
#include "log/commit_batch.h"
#include "log/commit_changes.h"
#include "log/commit_files.h"
#include "reader/blocks_ahead.h"
#include "reader/object_reader.h"
#include "search/pathspec.h"

namespace zpack::log {
namespace {

class CommitLister {
 public:
  CommitLister(const ArchiveFile& archive, ObjectReader& objects,
               const LogOptions& options, const LineDiff& diff,
               const search::Pathspec& paths)
      : archive_(archive),
        options_(options),
        paths_(paths),
        pickaxe_(options.pickaxe == Pickaxe::kNone
                     ? nullptr
                     : std::make_unique<PickaxeSearch>(archive, objects,
                                                       options, diff)),
        sources_{
            archive,        objects,
            options,        paths,
            pickaxe_.get(), NumberedTrees::MakeBlocks(archive, TreeReaders())},
        files_(sources_),
        batch_(TreeThreads(archive, options.threads), options.first_parent,
               [this] { return std::make_unique<CommitFiles>(sources_); }),
        objects_(objects),
        walk_(archive, files_.changes().graph(), WalkOptionsOf(options),
              SameAsParent()),
        ahead_(archive.blocks(), options.threads),
        contents_(ahead_.Add(ObjectType::kCommit, [this](size_t block) {
          return objects_.Block(block);
        })) {
    NumberedTrees& trees = files_.changes().trees();
    const size_t cache = ahead_.Add(ObjectType::kTree, [&trees](size_t block) {
      return trees.blocks()->Block(block);
    });
    trees.WatchBlocks(
        [this, cache](size_t block) { ahead_.Note(cache, block); });
  }

  void FollowPath(std::string path) { files_.FollowPath(std::move(path)); }

  Status Run(const Visitor<const LoggedCommit&>& visit) {
    return ahead_.Run([&] { return List(visit); });
  }

 private:
  enum class Shown : uint8_t { kNo, kYes, kStop };

  // How many commits are looked at before some are shown: few at first, so that
  // the first ones come soon, and never very many, whose files take memory.
  static constexpr size_t kFirstShown = 2;
  static constexpr size_t kMostShown = 128;
  static constexpr size_t kMostPairs = 20'000;
  // The pickaxe searches the blobs of so many at first.
  static constexpr uint64_t kFirstSearched = 256;

  // Whether the pickaxe says which commits are looked at.
  bool Chooses() const { return pickaxe_ != nullptr && !options_.follow; }

  // How many threads share blocks of trees.
  unsigned TreeReaders() const {
    return pickaxe_ == nullptr ? 1 : TreeThreads(archive_, options_.threads);
  }

  Status List(const Visitor<const LoggedCommit&>& visit) {
    if (pickaxe_ != nullptr && options_.follow) ZPACK_TRY(pickaxe_->Search());
    ZPACK_TRY(walk_.Start());
    uint64_t left = options_.max_commits;
    if (options_.reverse) {
      // Like Git, counts commits before it looks at their files.
      ZPACK_ASSIGN_OR_RETURN(auto commits, Wanted(left));
      std::ranges::reverse(commits);
      ZPACK_VISIT(ShowChosen(commits, left, visit), {});
      return {};
    }
    // If only some commits are shown, the first ones are searched first.
    const uint64_t all = LogOptions().max_commits;
    uint64_t searched = left == all ? all : kFirstSearched;
    while (left > 0) {
      ZPACK_ASSIGN_OR_RETURN(
          const auto commits,
          Wanted(Chooses() ? searched : std::min<uint64_t>(at_once_, left)));
      if (commits.empty()) break;
      ZPACK_VISIT(ShowChosen(commits, left, visit), {});
      if (searched != all) searched *= 4;
    }
    return {};
  }

  static CommitWalkOptions WalkOptionsOf(const LogOptions& options) {
    return {.refs = options.refs,
            .starts = options.starts,
            .excluded = options.excluded,
            .starts_before_refs = options.starts_before_refs,
            .first_parent = options.first_parent,
            // Like Git, which looks at side branches for an object.
            .full_history =
                options.full_history || options.pickaxe == Pickaxe::kObject,
            .since = options.since,
            .stop = options.stop};
  }

  // Paths limit the walk, unless their renames are followed.
  CommitWalk::SameAsParent SameAsParent() {
    if (paths_.empty() || options_.follow) return {};
    return [this](ObjectNumber commit, std::optional<ObjectNumber> parent) {
      return files_.changes().IsSame(commit, parent, paths_);
    };
  }

  // Whether only commits with files are shown.
  bool NeedsFiles() const {
    return pickaxe_ != nullptr || options_.follow || files_.filters();
  }

  Status ReadContent(ObjectNumber commit) {
    ahead_.Note(contents_, archive_.blocks().FindBlock(commit));
    ZPACK_TRY(objects_.Read(commit, archive_.blocks().id(commit), content_,
                            HashObject::kNo));
    return {};
  }

  Result<bool> IsWanted(ObjectNumber commit) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit read,
                           files_.changes().graph().ReadCommit(commit));
    if (options_.until && read.time > *options_.until) return false;
    if (read.parents.size() < options_.min_parents ||
        read.parents.size() > options_.max_parents) {
      return false;
    }
    if (!options_.wants) return true;
    ZPACK_TRY(ReadContent(commit));
    return options_.wants(AsText(content_));
  }

  // The next commit that the options want, whatever its files are.
  Result<std::optional<ObjectNumber>> NextWanted() {
    while (true) {
      ZPACK_ASSIGN_OR_RETURN(const auto commit, walk_.Next());
      if (!commit) return std::nullopt;
      ZPACK_ASSIGN_OR_RETURN(const bool wanted, IsWanted(*commit));
      if (!wanted) continue;
      if (skipped_ == options_.skip) return commit;
      ++skipped_;
    }
  }

  // As many of them as there are, at most `most`. Those before an error come
  // first, and then the error.
  Result<std::vector<ObjectNumber>> Wanted(uint64_t most) {
    if (failure_) return std::unexpected(*failure_);
    std::vector<ObjectNumber> commits;
    while (commits.size() < most) {
      auto commit = NextWanted();
      if (!commit) {
        failure_ = std::move(commit).error();
        if (commits.empty() || options_.reverse) {
          return std::unexpected(*failure_);
        }
        break;
      }
      if (!*commit) break;
      commits.push_back(**commit);
    }
    return commits;
  }

  // Shows the commits that the pickaxe may want, at most `left`, which becomes
  // less.
  Result<Visit> ShowChosen(const std::vector<ObjectNumber>& commits,
                           uint64_t& left,
                           const Visitor<const LoggedCommit&>& visit) {
    if (!Chooses()) return ShowAll(commits, left, visit);
    ZPACK_ASSIGN_OR_RETURN(
        const std::vector<uint8_t> chosen,
        ChooseCommits({archive_, options_, paths_, *pickaxe_, sources_.blocks},
                      commits));
    std::vector<ObjectNumber> all;
    for (size_t i = 0; i < commits.size(); ++i) {
      if (chosen[i] != 0) all.push_back(commits[i]);
    }
    return ShowAll(all, left, visit);
  }

  // Shows the commits that have files, if they need some.
  Result<Visit> ShowAll(std::span<const ObjectNumber> commits, uint64_t& left,
                        const Visitor<const LoggedCommit&>& visit) {
    while (!commits.empty() && left > 0) {
      const auto now =
          commits.first(std::min<uint64_t>({commits.size(), at_once_, left}));
      ZPACK_ASSIGN_OR_RETURN(auto files, ReadFiles(now));
      commits = commits.subspan(files.size());
      at_once_ = NextAtOnce(files);
      for (size_t i = 0; i < files.size(); ++i) {
        ZPACK_ASSIGN_OR_RETURN(const Shown shown,
                               Show(now[i], files[i], visit));
        if (shown == Shown::kStop) return Visit::kStop;
        if (shown == Shown::kYes) --left;
      }
    }
    return Visit::kContinue;
  }

  // How many commits are read at once after these.
  static size_t NextAtOnce(const std::vector<CommitBatch::Files>& files) {
    size_t pairs = 0;
    for (const CommitBatch::Files& one : files) pairs += one.pairs.size();
    const size_t fit = files.size() * kMostPairs / std::max(pairs, size_t{1});
    return std::clamp(std::min(2 * files.size(), fit), kFirstShown, kMostShown);
  }

  // As CommitBatch::Read.
  Result<std::vector<CommitBatch::Files>> ReadFiles(
      std::span<const ObjectNumber> commits) {
    if (!options_.files && !NeedsFiles()) {
      return std::vector<CommitBatch::Files>(commits.size());
    }
    if (!options_.follow) return batch_.Read(commits, options_.stop);
    std::vector<CommitBatch::Files> files;
    for (const ObjectNumber commit : commits) {
      files.push_back(
          CommitBatch::ReadWith(files_, commit, options_.first_parent));
    }
    return files;
  }

  Result<Shown> Show(ObjectNumber commit, CommitBatch::Files& files,
                     const Visitor<const LoggedCommit&>& visit) {
    ZPACK_TRY(std::exchange(files.status, {}));
    if (files.reader != nullptr) ZPACK_TRY(files.reader->Choose(files.pairs));
    if (NeedsFiles() && files.pairs.empty()) return Shown::kNo;
    ZPACK_TRY(ReadContent(commit));
    ObjectGraph& graph = files_.changes().graph();
    ZPACK_ASSIGN_OR_RETURN(const auto numbers, graph.ReadParents(commit));
    std::vector<ObjectId> parents;
    for (const ObjectNumber parent : numbers) {
      parents.push_back(graph.id(parent));
    }
    std::vector<ChangedFile> changed;
    if (options_.files) {
      for (const FilePair& pair : files.pairs) {
        changed.push_back(Describe(pair, files.reader->changes().trees()));
      }
    }
    ZPACK_ASSIGN_OR_RETURN(const Visit next, visit({.id = graph.id(commit),
                                                    .content = AsText(content_),
                                                    .parents = parents,
                                                    .files = changed}));
    return next == Visit::kStop ? Shown::kStop : Shown::kYes;
  }

  static ChangedFile Describe(const FilePair& pair,
                              const NumberedTrees& trees) {
    const auto id = [&](const TreeSide& side) {
      return side.exists() ? trees.id(side.object) : ObjectId();
    };
    return {.status = StatusOf(pair),
            .old_mode = pair.before.mode,
            .new_mode = pair.after.mode,
            .old_id = id(pair.before),
            .new_id = id(pair.after),
            .old_path = pair.old_path,
            .new_path = pair.new_path,
            .similarity = pair.similarity};
  }

  const ArchiveFile& archive_;
  const LogOptions& options_;
  const search::Pathspec& paths_;
  std::unique_ptr<PickaxeSearch> pickaxe_;
  const CommitFiles::Sources sources_;
  CommitFiles files_;  // for the walk, and for LogOptions::follow
  CommitBatch batch_;
  ObjectReader& objects_;
  CommitWalk walk_;
  BlocksAhead ahead_;
  const size_t contents_;  // the cache of `objects_`, for `ahead_`
  uint64_t skipped_ = 0;
  std::optional<Error> failure_;  // of NextWanted
  size_t at_once_ = kFirstShown;
  Bytes content_;  // of the commit that was read last
};

}  // namespace

Status ListCommits(const ArchiveFile& archive, ObjectReader& objects,
                   const LogOptions& options, const LineDiff& diff,
                   const Visitor<const LoggedCommit&>& visit) {
  ZPACK_ASSIGN_OR_RETURN(const search::Pathspec paths,
                         search::Pathspec::Parse(options.pathspecs));
  const bool has_pattern =
      options.pickaxe != Pickaxe::kNone && options.pickaxe != Pickaxe::kObject;
  if (has_pattern && options.pattern.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "-S and -G require a text that is not empty");
  }
  // Expressions of the C library would end there.
  if (has_pattern && options.pattern.contains('\0')) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "-S and -G require a text without NULL bytes");
  }
  CommitLister lister(archive, objects, options, diff, paths);
  if (options.follow) {
    ZPACK_ASSIGN_OR_RETURN(std::string followed, paths.PathToFollow());
    lister.FollowPath(std::move(followed));
  }
  return lister.Run(visit);
}

}  // namespace zpack::log
