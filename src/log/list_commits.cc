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
#include "base/guarded.h"
#include "base/parallel.h"
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
        reading_(MakeBatch()),
        showing_(MakeBatch()),
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
    return ahead_.Run([&]() -> Status {
      Status status = List(visit);
      if (options_.stop.stop_requested()) return status;
      ZPACK_VISIT(ShowPending(visit), {});
      // An error behind the last commit that is shown does not count.
      return left_ == 0 ? Status{} : status;
    });
  }

 private:
  enum class Shown : uint8_t { kNo, kYes, kStop };

  // Commits that are not shown yet. `showing_` has read their files.
  struct Pending {
    std::vector<ObjectNumber> commits;
    std::vector<CommitBatch::Files> files;
  };

  // How many commits are looked at before some are shown: few at first, so that
  // the first ones come soon, and never very many, whose files take memory.
  static constexpr size_t kFirstShown = 2;
  static constexpr size_t kMostShown = 128;
  static constexpr size_t kMostPairs = 20'000;
  // From so many on, the files of the next ones are read meanwhile.
  static constexpr size_t kManyShown = 32;
  // The pickaxe searches the blobs of so many at first.
  static constexpr uint64_t kFirstSearched = 256;

  // Whether the pickaxe says which commits are looked at.
  bool Chooses() const { return pickaxe_ != nullptr && !options_.follow; }

  // How many threads share blocks of trees.
  unsigned TreeReaders() const {
    return pickaxe_ == nullptr ? 1 : TreeThreads(archive_, options_.threads);
  }

  std::unique_ptr<CommitBatch> MakeBatch() {
    return std::make_unique<CommitBatch>(
        TreeThreads(archive_, options_.threads), options_.first_parent,
        [this] { return std::make_unique<CommitFiles>(sources_); });
  }

  // How many commits are to be found.
  uint64_t Missing() const {
    return NeedsFiles() ? left_ : left_ - pending_.commits.size();
  }

  Status List(const Visitor<const LoggedCommit&>& visit) {
    if (pickaxe_ != nullptr && options_.follow) ZPACK_TRY(pickaxe_->Search());
    ZPACK_TRY(walk_.Start());
    if (options_.reverse) {
      // Like Git, counts commits before it looks at their files.
      ZPACK_ASSIGN_OR_RETURN(auto commits, Wanted(left_));
      std::ranges::reverse(commits);
      ZPACK_VISIT(ShowChosen(commits, visit), {});
      return {};
    }
    // If only some commits are shown, the first ones are searched first.
    const uint64_t all = LogOptions().max_commits;
    uint64_t searched = left_ == all ? all : kFirstSearched;
    while (Missing() > 0) {
      ZPACK_ASSIGN_OR_RETURN(
          const auto commits,
          Wanted(Chooses() ? searched
                           : std::min<uint64_t>(at_once_, Missing())));
      if (commits.empty()) break;
      ZPACK_VISIT(ShowChosen(commits, visit), {});
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

  bool ReadsFiles() const { return options_.files || NeedsFiles(); }

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

  // Shows the commits that the pickaxe may want.
  Result<Visit> ShowChosen(const std::vector<ObjectNumber>& commits,
                           const Visitor<const LoggedCommit&>& visit) {
    if (!Chooses()) return ShowAll(commits, visit);
    ZPACK_ASSIGN_OR_RETURN(
        const std::vector<uint8_t> chosen,
        ChooseCommits({archive_, options_, paths_, *pickaxe_, sources_.blocks},
                      commits));
    std::vector<ObjectNumber> all;
    for (size_t i = 0; i < commits.size(); ++i) {
      if (chosen[i] != 0) all.push_back(commits[i]);
    }
    return ShowAll(all, visit);
  }

  // Shows the commits that have files, if they need some. The last of many are
  // pending then.
  Result<Visit> ShowAll(std::span<const ObjectNumber> commits,
                        const Visitor<const LoggedCommit&>& visit) {
    while (!commits.empty() && left_ > 0) {
      const auto now =
          commits.first(std::min<uint64_t>({commits.size(), at_once_, left_}));
      std::vector<CommitBatch::Files> files;
      ZPACK_VISIT(ReadBesideShowing(now, files, visit), Visit::kStop);
      const size_t read = files.size();
      at_once_ = NextAtOnce(files);
      pending_ = {{now.begin(), now.begin() + static_cast<ptrdiff_t>(read)},
                  std::move(files)};
      std::swap(reading_, showing_);
      commits = commits.subspan(read);
      if (read < kManyShown || !ReadsBeside()) {
        ZPACK_VISIT(ShowPending(visit), Visit::kStop);
      }
    }
    return Visit::kContinue;
  }

  // Whether files are read while commits are shown.
  bool ReadsBeside() const {
    return ReadsFiles() && !options_.follow &&
           TreeThreads(archive_, options_.threads) > 1;
  }

  // Reads the files of the first of `commits`, and meanwhile shows the pending
  // ones.
  Result<Visit> ReadBesideShowing(std::span<const ObjectNumber> commits,
                                  std::vector<CommitBatch::Files>& files,
                                  const Visitor<const LoggedCommit&>& visit) {
    Status outcome;
    const auto read = [&] {
      outcome = Guarded([&] { return ReadFiles(commits, files); });
    };
    Result<Visit> shown;
    const auto show = [&] { shown = ShowPending(visit); };
    if (pending_.commits.empty() || !RunBeside(1, read, show)) {
      show();
      read();
    }
    if (shown && *shown == Visit::kContinue) ZPACK_TRY(outcome);
    return shown;
  }

  // Shows the pending commits, at most as many as are left.
  Result<Visit> ShowPending(const Visitor<const LoggedCommit&>& visit) {
    Pending pending = std::exchange(pending_, {});
    for (size_t i = 0; i < pending.commits.size(); ++i) {
      if (left_ == 0) return Visit::kStop;
      ZPACK_ASSIGN_OR_RETURN(const Shown shown,
                             Show(pending.commits[i], pending.files[i], visit));
      if (shown == Shown::kStop) return Visit::kStop;
      if (shown == Shown::kYes) --left_;
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
  Status ReadFiles(std::span<const ObjectNumber> commits,
                   std::vector<CommitBatch::Files>& files) {
    if (!ReadsFiles()) {
      files.resize(commits.size());
    } else if (!options_.follow) {
      ZPACK_ASSIGN_OR_RETURN(files, reading_->Read(commits, options_.stop));
    } else {
      for (const ObjectNumber commit : commits) {
        files.push_back(
            CommitBatch::ReadWith(files_, commit, options_.first_parent));
      }
    }
    return {};
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
  std::unique_ptr<CommitBatch> reading_;
  std::unique_ptr<CommitBatch> showing_;
  Pending pending_;
  ObjectReader& objects_;
  CommitWalk walk_;
  BlocksAhead ahead_;
  const size_t contents_;  // the cache of `objects_`, for `ahead_`
  uint64_t skipped_ = 0;
  uint64_t left_ = options_.max_commits;  // to be shown
  std::optional<Error> failure_;          // of NextWanted
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
