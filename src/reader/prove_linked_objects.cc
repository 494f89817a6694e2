// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writers store commits before their trees, directories before their entries,
// and new commits before old ones. The last blocks are therefore tried first.

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/hex.h"
#include "base/parallel.h"
#include "object/object_batch_hasher.h"
#include "object/object_hasher.h"
#include "reader/block_decoder.h"
#include "reader/object_prover.h"
#include "reader/tree_children.h"

namespace zpack {
namespace {

// How many times the maximum expansion of the file may be decoded.
constexpr uint64_t kMaxDecodings = 2;

// Positions of the ids in a commit: "tree ", then "parent " in each line.
constexpr size_t kTreeLabel = 5;
constexpr size_t kParentLabel = 7;

// The links of the commits of a block; none for verbatim commits.
using CommitBlockLinks = std::vector<std::vector<LinkNumber>>;

// What a thread works with.
struct ProvingWorker {
  explicit ProvingWorker(ObjectFormat format)
      : hasher(format), batch_hasher(format) {}

  BlockDecoder decoder;
  ObjectHasher hasher;
  ObjectBatchHasher batch_hasher;
};

// The trees of a block that wait for others of the block. Any tree may also
// wait for an object that is not known; it is then never ready.
class TreeWaves {
 public:
  // `known` tells whether the id of an object outside of the block is known.
  TreeWaves(const format::TreeBlock& trees, ObjectNumber first,
            const ProvenIds& ids, const std::function<bool(LinkNumber)>& known)
      : missing_(trees.count()), done_(trees.count()) {
    const uint32_t count = trees.count();
    for (uint32_t i = 0; i < count; ++i) {
      done_[i] = ids.IsProven(first + i);
      if (!done_[i]) ++left_;
    }
    if (MayWait(trees, first, known)) {
      ForEachTree(trees, [&](uint32_t index,
                             const format::TreeBlock::Entries& entries) {
        if (done_[index]) return;
        for (const format::TreeBlock::Entry& entry : entries) {
          const uint32_t child = entry.child.value() - first.value();
          if (child >= count) {
            if (!known(entry.child)) missing_[index] = kNever;
          } else if (!done_[child]) {
            waiting_.emplace_back(child, index);
            if (missing_[index] != kNever) ++missing_[index];
          }
        }
      });
      std::ranges::sort(waiting_);
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (!done_[i] && missing_[i] == 0) ready_.push_back(i);
    }
  }

  // Trees that are not proven.
  uint32_t left() const { return left_; }
  // Trees that can be proven now.
  const std::vector<uint32_t>& ready() const { return ready_; }

  // The ready trees are proven; others may be ready now.
  void Advance() {
    std::vector<uint32_t> next;
    for (const uint32_t child : ready_) {
      done_[child] = true;
      auto at = std::ranges::lower_bound(waiting_, std::pair(child, 0U));
      for (; at != waiting_.end() && at->first == child; ++at) {
        uint32_t& missing = missing_[at->second];
        if (missing != kNever && --missing == 0) next.push_back(at->second);
      }
    }
    left_ -= static_cast<uint32_t>(ready_.size());
    ready_ = std::move(next);
  }

 private:
  static constexpr uint32_t kNever = UINT32_MAX;

  // False if the ids of all children are known, which no edit denies. Every
  // child of a tree comes from an edit of the tree or of one of its bases.
  static bool MayWait(const format::TreeBlock& trees, ObjectNumber first,
                      const std::function<bool(LinkNumber)>& known) {
    for (uint32_t index = 0; index < trees.count(); ++index) {
      for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
        if (edit.kind == format::TreeEditKind::kRemove) continue;
        const LinkNumber child = edit.entry.child;
        if (child.value() - first.value() < trees.count() || !known(child)) {
          return true;
        }
      }
    }
    return false;
  }

  std::vector<uint32_t> missing_;  // by tree: children in the block, not proven
  std::vector<bool> done_;
  std::vector<std::pair<uint32_t, uint32_t>> waiting_;  // child, tree; sorted
  std::vector<uint32_t> ready_;
  uint32_t left_ = 0;
};

class LinkedProver {
 public:
  LinkedProver(const Proving& proving, const std::vector<LinkedBlock>& blocks)
      : proving_(proving),
        hex_width_(2 * ObjectIdWidth(proving.file.object_format())),
        by_row_(proving.file.block_count(), kNotLinked) {
    for (const LinkedBlock& block : blocks) {
      nodes_.emplace_back().block = block;
    }
    std::ranges::sort(nodes_, [](const Node& a, const Node& b) {
      return a.block.row > b.block.row;
    });
    for (size_t at = 0; at < nodes_.size(); ++at) {
      by_row_[nodes_[at].block.row] = at;
      queue_.insert(at);
    }
  }

  Status Run() {
    RunOnThreads(proving_.threads, [this] {
      Status status = Guarded([this] { return Work(); });
      if (status) return;
      const std::lock_guard<std::mutex> lock(mutex_);
      Fail(std::move(status));
    });
    ZPACK_TRY(outcome_);
    return RunInRounds();
  }

 private:
  enum class State : uint8_t { kQueued, kRunning, kWaiting, kDone };
  // A block, and the blocks that wait for it.
  struct Node {
    LinkedBlock block;
    State state = State::kQueued;
    size_t missing = 0;  // blocks for which it waits
    std::vector<size_t> waiting;
  };
  static constexpr size_t kNotLinked = SIZE_MAX;
  using Lock = std::unique_lock<std::mutex>;

  // Runs one thread until nothing is queued that could be done at once.
  Status Work() {
    ProvingWorker worker(proving_.file.object_format());
    Lock lock(mutex_);
    while (true) {
      wake_.wait(lock,
                 [this] { return ended_ || !queue_.empty() || running_ == 0; });
      if (ended_ || queue_.empty()) return {};
      const size_t at = *queue_.begin();
      queue_.erase(queue_.begin());
      nodes_[at].state = State::kRunning;
      ++running_;
      lock.unlock();
      Status status = Guarded([&]() -> Status {
        ZPACK_TRY(CheckStop(proving_.stop));
        return Prove(at, worker);
      });
      lock.lock();
      --running_;
      if (!status) Fail(std::move(status));
      wake_.notify_all();
    }
  }

  void Fail(Status status) {
    if (outcome_) outcome_ = std::move(status);
    ended_ = true;
    wake_.notify_all();
  }

  // Blocks that are left need each other. Proves what can be proven in each,
  // again and again while there is progress.
  Status RunInRounds() {
    ProvingWorker worker(proving_.file.object_format());
    do {
      progress_ = false;
      for (Node& node : nodes_) {
        if (node.state == State::kDone) continue;
        ZPACK_TRY(CheckStop(proving_.stop));
        if (gave_up_) return {};
        Result<bool> done = ProveAlone(node.block, worker);
        if (!done) {
          ZPACK_TRY(proving_.lose(node.block.row, done.error()));
        }
        if (!done || *done) node.state = State::kDone;
      }
    } while (progress_);
    return {};
  }

  // Returns true if all objects of the block are proven.
  Result<bool> ProveAlone(const LinkedBlock& block, ProvingWorker& worker) {
    ZPACK_ASSIGN_OR_RETURN(DecodedBlock decoded,
                           worker.decoder.Decode(proving_.file, block.row));
    if (block.kind == format::BlockKind::kTrees) {
      return ProveTrees(block.row, decoded, worker);
    }
    ZPACK_ASSIGN_OR_RETURN(
        const CommitBlockLinks links,
        ReadLinks(block.row, decoded.objects.header, worker));
    return ProveCommits(block.row, decoded, links, worker);
  }

  // Proves what can be proven in the block once the blocks that it needs are
  // done. Leaves it waiting if that takes too long.
  Status Prove(size_t at, ProvingWorker& worker) {
    const LinkedBlock& block = nodes_[at].block;
    const auto prove = [&]() -> Result<bool> {
      if (gave_up_) return true;
      ZPACK_ASSIGN_OR_RETURN(DecodedBlock decoded,
                             worker.decoder.Decode(proving_.file, block.row));
      if (block.kind == format::BlockKind::kTrees) {
        if (!Await(at, NeededBlocks(*decoded.trees()))) return false;
        ZPACK_TRY(ProveTrees(block.row, decoded, worker));
        return true;
      }
      ZPACK_ASSIGN_OR_RETURN(
          const CommitBlockLinks links,
          ReadLinks(block.row, decoded.objects.header, worker));
      if (!Await(at, NeededBlocks(links))) return false;
      ZPACK_TRY(ProveCommits(block.row, decoded, links, worker));
      return true;
    };
    const Result<bool> done = prove();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!done) ZPACK_TRY(proving_.lose(block.row, done.error()));
    if (!done || *done) Finish(at);
    return {};
  }

  // REQUIRES: the lock is held.
  void Finish(size_t at) {
    nodes_[at].state = State::kDone;
    for (const size_t other : nodes_[at].waiting) {
      Node& node = nodes_[other];
      if (--node.missing != 0) continue;
      node.state = State::kQueued;
      queue_.insert(other);
    }
    nodes_[at].waiting.clear();
    wake_.notify_all();
  }

  // Waits while later blocks that are needed are being proven. Returns false if
  // other blocks are needed first, or after an error.
  bool Await(size_t at, const std::set<size_t>& needed) {
    Lock lock(mutex_);
    // Only for later blocks, so that no two blocks wait for each other.
    wake_.wait(lock, [&] {
      return ended_ || std::ranges::none_of(needed, [&](size_t other) {
               return other < at && nodes_[other].state == State::kRunning;
             });
    });
    if (ended_) return false;
    Node& node = nodes_[at];
    for (const size_t other : needed) {
      if (other == at || nodes_[other].state == State::kDone) continue;
      nodes_[other].waiting.push_back(at);
      ++node.missing;
    }
    if (node.missing == 0) return true;
    node.state = State::kWaiting;
    wake_.notify_all();
    return false;
  }

  // Adds the block of an object, if it is one of trees or commits.
  void AddBlockOf(LinkNumber link, std::set<size_t>& needed) const {
    const format::BlockTable& table = proving_.file.table();
    const ObjectNumber number(link.value());
    if (link.value() >= proving_.file.object_count() ||
        number >= table.rows.back().first_object) {
      return;
    }
    const size_t at = by_row_[table.FindBlock(number)];
    if (at != kNotLinked) needed.insert(at);
  }

  std::set<size_t> NeededBlocks(const format::TreeBlock& trees) const {
    std::set<size_t> needed;
    for (uint32_t index = 0; index < trees.count(); ++index) {
      for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
        if (edit.kind == format::TreeEditKind::kRemove) continue;
        AddBlockOf(edit.entry.child, needed);
      }
    }
    return needed;
  }

  std::set<size_t> NeededBlocks(const CommitBlockLinks& links) const {
    std::set<size_t> needed;
    for (const auto& of_commit : links) {
      for (const LinkNumber link : of_commit) AddBlockOf(link, needed);
    }
    return needed;
  }

  // Counts bytes that are rebuilt. If they are too many, the order of the
  // objects must be hostile.
  Status CountWork(uint64_t bytes) {
    const uint64_t work = work_.fetch_add(bytes) + bytes;
    const format::Expansion& limit = proving_.file.expansion().limit();
    if (work / kMaxDecodings <= std::max(limit.content, limit.decoded)) {
      return {};
    }
    gave_up_ = true;
    return MakeError(ErrorCode::kLimitExceeded,
                     "more than {} bytes had to be decoded to rebuild trees "
                     "and commits",
                     work);
  }

  // True if the id of `link` is known.
  bool Knows(LinkNumber link) const {
    return link.value() >= proving_.file.object_count() ||
           proving_.ids.IsKnown(ObjectNumber(link.value()));
  }

  void Advance(uint64_t objects, uint64_t bytes) {
    if (objects != 0) progress_ = true;
    if (!proving_.advance) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    proving_.advance(objects, bytes);
  }

  // Returns true if all trees of the block are proven.
  Result<bool> ProveTrees(size_t row, const DecodedBlock& block,
                          ProvingWorker& worker) {
    proving_.ids.AddBlock(row);
    const ObjectNumber first = block.objects.header.first_object;
    TreeWaves waves(*block.trees(), first, proving_.ids,
                    [this](LinkNumber link) { return Knows(link); });
    uint64_t objects = 0;
    uint64_t bytes = 0;
    for (; !waves.ready().empty(); waves.Advance()) {
      const Status rebuilt =
          ProveWave(block, waves.ready(), worker, objects, bytes);
      if (rebuilt) continue;
      proving_.ids.Retract(row);
      return std::unexpected(rebuilt.error());
    }
    Advance(objects, bytes);
    return waves.left() == 0;
  }

  Status ProveWave(const DecodedBlock& block,
                   const std::vector<uint32_t>& ready, ProvingWorker& worker,
                   uint64_t& objects, uint64_t& bytes) {
    const format::TreeBlock& trees = *block.trees();
    WantedObjects wanted(trees.count());
    for (const uint32_t index : ready) wanted[index] = true;
    ZPACK_TRY(CountWork(RebuiltBytes(trees, wanted)));
    std::vector<uint32_t> waiting;  // for their hashes
    const auto take_hashes = [&] {
      size_t next = 0;
      for (const ObjectId& id : worker.batch_hasher.Finish()) {
        proving_.ids.SetProven(
            block.objects.header.first_object + waiting[next++], id);
      }
      waiting.clear();
    };
    const Status rebuilt = block.ForEachObject(
        wanted, proving_.file.max_kept(),
        [&](size_t index, ByteView content) -> Status {
          ZPACK_TRY(CheckStop(proving_.stop));
          ++objects;
          bytes += content.size();
          worker.batch_hasher.Add(ObjectType::kTree, content);
          waiting.push_back(static_cast<uint32_t>(index));
          if (worker.batch_hasher.full()) take_hashes();
          return {};
        });
    take_hashes();
    return rebuilt;
  }

  // Bytes of the wanted trees and their bases, and one for each tree, which is
  // looked at.
  static uint64_t RebuiltBytes(const format::TreeBlock& trees,
                               WantedObjects wanted) {
    uint64_t bytes = trees.count();
    for (uint32_t index = trees.count(); index-- > 0;) {
      if (!wanted[index]) continue;
      bytes += trees.sizes()[index];
      if (const auto base = trees.base(index)) wanted[*base] = true;
    }
    return bytes;
  }

  Result<CommitBlockLinks> ReadLinks(size_t row,
                                     const format::BlockHeader& header,
                                     ProvingWorker& worker) {
    ZPACK_ASSIGN_OR_RETURN(
        const format::BlockStreams streams,
        worker.decoder.DecodeCommitColumns(proving_.file, row));
    format::CommitColumns columns(
        streams, {header.first_object, proving_.file.object_count(),
                  proving_.file.object_format()});
    ZPACK_TRY(columns.Check(header.object_count));
    CommitBlockLinks links(header.object_count);
    format::CommitRow commit;
    for (auto& of_commit : links) {
      ZPACK_TRY(columns.Next(commit));
      if (commit.verbatim) continue;
      of_commit.push_back(commit.tree);
      of_commit.insert(of_commit.end(), commit.parents.begin(),
                       commit.parents.end());
    }
    return links;
  }

  // Writes the ids of `links` into a commit.
  void FillIn(const std::vector<LinkNumber>& links,
              std::span<uint8_t> commit) const {
    size_t at = 0;
    for (size_t i = 0; i < links.size(); ++i) {
      at += i == 0 ? kTreeLabel : kParentLabel;
      if (links[i].value() < proving_.file.object_count()) {
        const std::string hex =
            proving_.ids.Id(ObjectNumber(links[i].value())).ToHex();
        std::memcpy(&commit[at], hex.data(), hex.size());
      }
      at += hex_width_ + 1;
    }
  }

  // Returns true if all commits of the block are proven. Fills in the ids in
  // `block`.
  Result<bool> ProveCommits(size_t row, DecodedBlock& block,
                            const CommitBlockLinks& links,
                            ProvingWorker& worker) {
    const format::BlockHeader& header = block.objects.header;
    ZPACK_TRY(CountWork(block.contents().size()));
    proving_.ids.AddBlock(row);
    auto& whole = std::get<WholeObjects>(block.form);
    // By number of an object: the commits of the block that wait for its id.
    std::unordered_map<uint32_t, std::vector<uint32_t>> waiting;
    std::vector<size_t> missing(links.size());
    std::deque<uint32_t> ready;
    size_t left = links.size();
    uint64_t objects = 0;
    uint64_t bytes = 0;
    for (uint32_t index = 0; index < links.size(); ++index) {
      if (proving_.ids.IsProven(header.first_object + index)) {
        --left;
        continue;
      }
      for (const LinkNumber link : links[index]) {
        if (Knows(link)) continue;
        ++missing[index];
        waiting[link.value()].push_back(index);
      }
      if (missing[index] == 0) ready.push_back(index);
    }
    for (; !ready.empty(); ready.pop_front()) {
      const uint32_t index = ready.front();
      const std::span<uint8_t> content(&whole.contents[whole.offsets[index]],
                                       block.objects.sizes[index]);
      FillIn(links[index], content);
      const ObjectNumber number = header.first_object + index;
      proving_.ids.SetProven(number,
                             worker.hasher.Hash(ObjectType::kCommit, content));
      ++objects;
      bytes += content.size();
      --left;
      const auto waits = waiting.find(number.value());
      if (waits == waiting.end()) continue;
      for (const uint32_t other : waits->second) {
        if (--missing[other] == 0) ready.push_back(other);
      }
    }
    Advance(objects, bytes);
    return left == 0;
  }

  const Proving& proving_;
  size_t hex_width_;
  std::vector<size_t> by_row_;  // position in `nodes_`
  std::atomic<uint64_t> work_ = 0;
  std::atomic<bool> gave_up_ = false;
  std::atomic<bool> progress_ = false;
  std::mutex mutex_;  // guards everything below, while threads run
  std::condition_variable wake_;
  std::vector<Node> nodes_;  // the last block first
  std::set<size_t> queue_;   // positions in `nodes_`
  size_t running_ = 0;
  bool ended_ = false;
  Status outcome_;
};

}  // namespace

Status ProveLinkedObjects(const Proving& proving,
                          const std::vector<LinkedBlock>& blocks) {
  if (blocks.empty()) return {};
  return LinkedProver(proving, blocks).Run();
}

}  // namespace zpack
