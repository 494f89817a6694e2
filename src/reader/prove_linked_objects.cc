// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writers store commits before their trees, directories before their entries,
// and new commits before old ones. The last blocks are therefore tried first.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hex.h"
#include "base/parallel.h"
#include "format/expansion.h"
#include "object/object_batch_hasher.h"
#include "object/object_hasher.h"
#include "reader/block_decoder.h"
#include "reader/object_prover.h"
#include "reader/object_waits.h"
#include "reader/tree_children.h"

namespace zpack {
namespace {

// Bytes of decoded blocks that need each other and are kept at the same time.
constexpr uint64_t kMaxLoaded = uint64_t{128} << 20;
// What it costs to look at a tree, in bytes that are rebuilt.
constexpr uint64_t kLook = 32;
// Bytes of trees that are kept whole. Writers put less into a block.
constexpr uint64_t kMaxKeptTrees = uint64_t{160} << 20;

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

// The content of a tree, and at which offsets ids of which objects are missing.
struct KeptTree {
  Bytes content;
  std::vector<std::pair<size_t, ObjectNumber>> missing;
};

// A decoded block whose objects are being proven.
struct LoadedBlock {
  size_t at = 0;  // position among the blocks
  DecodedBlock decoded;
  CommitBlockLinks links;  // of commits
  ObjectWaits waits;
  bool queued = false;   // to be proven
  uint64_t rebuilt = 0;  // bytes of trees
  // If trees become ready in many small waves, those that wait are kept whole,
  // by index, with the places of ids that are not known yet.
  std::vector<KeptTree> kept = {};

  uint64_t memory() const {
    uint64_t bytes = decoded.memory() + waits.memory();
    for (const auto& of_commit : links) {
      bytes += sizeof(std::vector<LinkNumber>) +
               of_commit.size() * sizeof(LinkNumber);
    }
    return bytes;
  }
};

// Objects of a block whose links are known, and what they hash to.
struct Wave {
  LoadedBlock* block;
  std::vector<uint32_t> objects;  // their positions in the block, ascending
  // Empty ids are those of lost objects.
  std::vector<ObjectId> ids = {};
  std::optional<Error> lost_base = {};  // why
  uint64_t bytes = 0;
};

class LinkedProver {
 public:
  LinkedProver(const Proving& proving, const std::vector<LinkedBlock>& blocks)
      : proving_(proving),
        hex_width_(2 * ObjectIdWidth(proving.file.object_format())),
        blocks_(blocks),
        done_(blocks.size()),
        loaded_(blocks.size()),
        worker_(proving.file.object_format()) {
    std::ranges::sort(blocks_, std::greater(), &LinkedBlock::row);
  }

  // Goes through the blocks again as long as that proves more.
  Status Run() {
    std::vector<size_t> left;
    do {
      progress_ = false;
      left.clear();
      for (size_t at = 0; at < blocks_.size(); ++at) {
        if (!done_[at]) left.push_back(at);
      }
      ZPACK_TRY(ProveInTurn(left));
    } while (progress_ && !gave_up_);
    return {};
  }

 private:
  // Loads each of these blocks once, and keeps as many as memory allows:
  // objects of one may wait for objects of another.
  Status ProveInTurn(std::span<const size_t> left) {
    waiting_.clear();
    while (!left.empty() && !gave_up_) {
      const auto some = left.first(
          std::min<size_t>(left.size(), std::max(proving_.threads, 1U)));
      left = left.subspan(some.size());
      ZPACK_TRY(LoadSome(some));
      ZPACK_TRY(ProveReady());
      while (memory_ > kMaxLoaded && !order_.empty()) {
        Unload(order_.front());
        order_.pop_front();
      }
    }
    for (const size_t at : order_) Unload(at);
    order_.clear();
    return {};
  }

  Status LoadSome(std::span<const size_t> some) {
    for (const size_t at : some) proving_.ids.AddBlock(blocks_[at].row);
    std::vector<std::optional<Result<LoadedBlock>>> blocks(some.size());
    ZPACK_TRY(InParallel(some.size(), [&](size_t i, ProvingWorker& worker) {
      blocks[i] = Load(some[i], worker);
    }));
    for (size_t i = 0; i < some.size(); ++i) {
      if (!*blocks[i]) {
        ZPACK_TRY(Lose(some[i], blocks[i]->error()));
        continue;
      }
      const size_t at = some[i];
      loaded_[at] = std::make_unique<LoadedBlock>(std::move(**blocks[i]));
      order_.push_back(at);
      memory_ += loaded_[at]->memory();
      loaded_[at]->waits.ForEachNumber(
          [&](uint32_t number) { waiting_[number].push_back(at); });
      Queue(at);
    }
    return {};
  }

  void Unload(size_t at) {
    if (loaded_[at] == nullptr) return;
    memory_ -= std::min(memory_, loaded_[at]->memory());
    for (const KeptTree& tree : loaded_[at]->kept) {
      kept_bytes_ -= tree.content.size();
    }
    loaded_[at].reset();
  }

  // Has the block proven, if something in it is ready.
  void Queue(size_t at) {
    LoadedBlock& block = *loaded_[at];
    if (block.queued || !block.waits.has_ready()) return;
    block.queued = true;
    queue_.push_back(at);
  }

  // Proves what is ready in the loaded blocks, until nothing is.
  Status ProveReady() {
    // Bytes for which it pays to start threads.
    constexpr uint64_t kMuch = uint64_t{512} << 10;
    while (!gave_up_) {
      ZPACK_TRY(CheckStop(proving_.stop));
      std::vector<Wave> waves;
      uint64_t bytes = 0;
      for (const size_t at : std::exchange(queue_, {})) {
        if (loaded_[at] == nullptr) continue;
        LoadedBlock& block = *loaded_[at];
        block.queued = false;
        waves.push_back({&block, block.waits.Take()});
        for (const uint32_t index : waves.back().objects) {
          bytes += block.decoded.objects.sizes[index];
        }
      }
      if (waves.empty()) return {};
      std::vector<Status> done(waves.size());
      const auto prove = [&](size_t i, ProvingWorker& worker) {
        done[i] = ProveWave(waves[i], worker);
      };
      if (bytes < kMuch || waves.size() == 1) {
        for (size_t i = 0; i < waves.size(); ++i) prove(i, worker_);
      } else {
        ZPACK_TRY(InParallel(waves.size(), prove));
      }
      // Ids are written while no thread reads them.
      for (size_t i = 0; i < waves.size(); ++i) {
        const size_t at = waves[i].block->at;
        if (done[i]) {
          ZPACK_TRY(TakeWave(waves[i]));
        } else {
          ZPACK_TRY(Lose(at, done[i].error()));
        }
        if (done_[at]) Unload(at);
      }
    }
    return {};
  }

  Status TakeWave(const Wave& wave) {
    const uint32_t lost = SetProven(wave);
    const uint32_t first =
        wave.block->decoded.objects.header.first_object.value();
    for (size_t i = 0; i < wave.objects.size(); ++i) {
      const uint32_t index = wave.objects[i];
      const auto found = waiting_.find(first + index);
      if (found == waiting_.end() || wave.ids[i].empty()) continue;
      for (const size_t at : found->second) {
        if (loaded_[at] == nullptr) continue;
        loaded_[at]->waits.Notify(first + index);
        Queue(at);
      }
      waiting_.erase(found);
    }
    if (wave.block->waits.left() == 0) done_[wave.block->at] = true;
    if (!wave.lost_base) return {};
    return proving_.lose(blocks_[wave.block->at].row, lost, *wave.lost_base);
  }

  // Calls `work` for each number below `count`, on several threads.
  Status InParallel(
      size_t count,
      const std::function<void(size_t, ProvingWorker&)>& work) const {
    return ParallelFor(proving_.threads, proving_.stop, count, 1,
                       [&](uint64_t begin, uint64_t /*end*/) -> Status {
                         ProvingWorker worker(proving_.file.object_format());
                         work(begin, worker);
                         return {};
                       });
  }

  Status Lose(size_t at, const Error& error) {
    if (!gave_up_) proving_.ids.Retract(blocks_[at].row);
    done_[at] = true;
    const size_t row = blocks_[at].row;
    return proving_.lose(row, proving_.file.block_object_count(row), error);
  }

  // Does not look at ids, which other threads may be writing.
  Result<DecodedBlock> Decode(const LinkedBlock& block,
                              ProvingWorker& worker) const {
    return block.kind == format::BlockKind::kCommits
               ? worker.decoder.DecodeCommitsWithoutIds(proving_.file,
                                                        block.row)
               : worker.decoder.Decode(proving_.file, block.row);
  }

  // Decodes a block. Its objects wait for what is not known yet.
  Result<LoadedBlock> Load(size_t at, ProvingWorker& worker) {
    const LinkedBlock& block = blocks_[at];
    ZPACK_ASSIGN_OR_RETURN(DecodedBlock decoded, Decode(block, worker));
    CommitBlockLinks links;
    if (block.kind == format::BlockKind::kCommits) {
      ZPACK_ASSIGN_OR_RETURN(
          links, ReadLinks(block.row, decoded.objects.header, worker));
    }
    // A byte of a tree that is only looked at costs less than one that is
    // rebuilt.
    const uint64_t entries =
        decoded.trees() != nullptr ? decoded.trees()->layout().content / 4 : 0;
    ZPACK_TRY(CountWork(decoded.memory() + entries));
    return Start(at, std::move(decoded), std::move(links));
  }

  // Counts bytes that are rebuilt. If they are too many, the order of the
  // objects must be hostile.
  Status CountWork(uint64_t bytes) {
    const uint64_t work = work_.fetch_add(bytes) + bytes;
    const format::Expansion& limit = proving_.file.expansion().limit();
    if (work / format::kMaxDecodings <=
        std::max(limit.content, limit.decoded)) {
      return {};
    }
    gave_up_ = true;
    return MakeError(ErrorCode::kLimitExceeded,
                     "more than {} bytes had to be decoded to rebuild trees "
                     "and commits",
                     work);
  }

  // True if the id of `link`, one of the block `row`, is known.
  bool Knows(LinkNumber link, size_t row) const {
    return link.value() >= proving_.file.object_end(row) ||
           proving_.ids.IsKnown(ObjectNumber(link.value()));
  }

  LoadedBlock Start(size_t at, DecodedBlock decoded, CommitBlockLinks links) {
    const format::BlockHeader& header = decoded.objects.header;
    const size_t row = blocks_[at].row;
    ObjectWaits waits(header.first_object, header.object_count, proving_.ids);
    if (const format::TreeBlock* const trees = decoded.trees()) {
      AddWaits(*trees, row, waits);
    }
    if (decoded.deltas() != nullptr)
      AddWaits(decoded.deltas()->layout(), waits);
    for (uint32_t index = 0; index < links.size(); ++index) {
      for (const LinkNumber link : links[index]) {
        if (!Knows(link, row)) waits.Add(index, link.value());
      }
    }
    waits.Begin();
    return {at, std::move(decoded), std::move(links), std::move(waits)};
  }

  // A far delta waits for its base, which has all ids that it is made of. That
  // the id of the base is known is not enough.
  void AddWaits(const format::BlockLayout& layout, ObjectWaits& waits) const {
    std::vector<std::optional<uint32_t>> numbers(layout.count());
    for (uint32_t index = 0; index < layout.count(); ++index) {
      const std::optional<uint32_t> base = layout.base(index);
      if (!base) continue;
      numbers[index] = layout.IsFar(*base)
                           ? std::optional(layout.FarAt(*base).number.value())
                           : numbers[*base];
      if (numbers[index] &&
          !proving_.ids.IsProven(ObjectNumber(*numbers[index]))) {
        waits.Add(index, *numbers[index]);
      }
    }
  }

  void AddWaits(const format::TreeBlock& trees, size_t row,
                ObjectWaits& waits) const {
    // Every child of a tree comes from an edit of the tree or of one of its
    // bases.
    NumberSet unknown;
    for (uint32_t index = 0; index < trees.count(); ++index) {
      for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
        if (edit.kind == format::TreeEditKind::kRemove) continue;
        if (!Knows(edit.entry.child, row))
          unknown.Add(edit.entry.child.value());
      }
    }
    if (unknown.empty()) return;
    unknown.Finish();
    ForEachTree(trees,
                [&](uint32_t index, const format::TreeBlock::Entries& entries) {
                  for (const format::TreeBlock::Entry& entry : entries) {
                    const uint32_t child = entry.child.value();
                    if (unknown.Has(child)) waits.Add(index, child);
                  }
                });
  }

  // Rebuilds and hashes the objects of a wave.
  Status ProveWave(Wave& wave, ProvingWorker& worker) {
    wave.ids.reserve(wave.objects.size());
    const DecodedBlock& decoded = wave.block->decoded;
    if (decoded.trees() != nullptr) return ProveTrees(wave, worker);
    return decoded.deltas() != nullptr ? ProveFarTrees(wave, worker)
                                       : ProveCommits(wave, worker);
  }

  Status ProveFarTrees(Wave& wave, ProvingWorker& worker) {
    const DecodedBlock& decoded = wave.block->decoded;
    const format::BlockLayout& layout = *decoded.layout();
    Bytes buffer;
    for (const uint32_t index : wave.objects) {
      uint64_t chain = 0;
      std::optional<uint32_t> at = index;
      for (; at; at = layout.base(*at)) chain += layout.size(*at);
      FarBudget far;
      const Result<ByteView> content = decoded.Object(index, buffer, far);
      ZPACK_TRY(CountWork(chain + far.used));
      if (!content) {
        wave.ids.emplace_back();
        wave.lost_base = content.error();
        continue;
      }
      wave.ids.push_back(worker.hasher.Hash(ObjectType::kTree, *content));
      wave.bytes += content->size();
    }
    return {};
  }

  // Returns the number of lost objects.
  uint32_t SetProven(const Wave& wave) {
    const ObjectNumber first = wave.block->decoded.objects.header.first_object;
    uint32_t lost = 0;
    for (size_t i = 0; i < wave.objects.size(); ++i) {
      const ObjectNumber number = first + wave.objects[i];
      if (wave.ids[i].empty()) {
        ++lost;
      } else if (proving_.ids.IsExpected(number, wave.ids[i])) {
        proving_.ids.SetProven(number, wave.ids[i]);
      } else {
        proving_.differs(blocks_[wave.block->at].row, proving_.ids.Id(number),
                         wave.ids[i]);
      }
    }
    progress_ = progress_ || lost < wave.objects.size();
    if (proving_.advance) {
      proving_.advance(wave.objects.size() - lost, wave.bytes);
    }
    return lost;
  }

  Status ProveTrees(Wave& wave, ProvingWorker& worker) {
    const auto take_hashes = [&] {
      const auto& ids = worker.batch_hasher.Finish();
      wave.ids.insert(wave.ids.end(), ids.begin(), ids.end());
    };
    const Status rebuilt = RebuildTrees(
        *wave.block, wave.objects, [&](ByteView content) -> Status {
          ZPACK_TRY(CheckStop(proving_.stop));
          wave.bytes += content.size();
          worker.batch_hasher.Add(ObjectType::kTree, content);
          if (worker.batch_hasher.full()) take_hashes();
          return {};
        });
    take_hashes();
    return rebuilt;
  }

  // Passes the content of each tree of the wave to `use`.
  Status RebuildTrees(LoadedBlock& block, const std::vector<uint32_t>& wave,
                      const std::function<Status(ByteView)>& use) {
    const format::TreeBlock& trees = *block.decoded.trees();
    if (!block.kept.empty()) return UseKept(block, wave, use);
    // Bytes to rebuild each tree from its first base, or all trees together.
    // Only if the first is much, it is worth to find out the second.
    const uint64_t little = kLook * trees.count();
    uint64_t alone = 0;
    for (const uint32_t index : wave) {
      if (alone > little) break;
      alone += trees.sizes()[index];
      for (auto base = trees.base(index); base && alone <= little;
           base = trees.base(*base)) {
        alone += trees.sizes()[*base];
      }
    }
    WantedObjects wanted;
    uint64_t cost = alone;
    if (alone > little) {
      wanted.resize(trees.count());
      for (const uint32_t index : wave) wanted[index] = true;
      cost = RebuiltBytes(trees, wanted);
    }
    ZPACK_TRY(CountWork(cost));
    block.rebuilt += cost;
    Status rebuilt;
    if (wanted.empty()) {
      Bytes buffer;
      for (const uint32_t index : wave) {
        ZPACK_ASSIGN_OR_RETURN(const ByteView content,
                               block.decoded.Object(index, buffer));
        ZPACK_TRY(use(content));
      }
    } else {
      rebuilt = block.decoded.ForEachObject(
          wanted, proving_.file.max_kept(),
          [&](size_t, ByteView content) { return use(content); });
    }
    if (rebuilt) Keep(block);
    return rebuilt;
  }

  // After much work for small waves: keeps the trees that wait, so that the
  // rest is linear.
  void Keep(LoadedBlock& block) {
    const format::TreeBlock& trees = *block.decoded.trees();
    constexpr uint64_t kLittle = uint64_t{1} << 20;
    if (block.rebuilt < 2 * trees.layout().content + kLittle) return;
    uint64_t bytes = 0;
    for (uint32_t index = 0; index < trees.count(); ++index) {
      if (block.waits.is_waiting(index)) bytes += trees.sizes()[index];
    }
    if (kept_bytes_.fetch_add(bytes) + bytes > kMaxKeptTrees || bytes == 0) {
      kept_bytes_ -= bytes;
      block.rebuilt = 0;
      return;
    }
    block.kept.resize(trees.count());
    ForEachTree(
        trees, [&](uint32_t index, const format::TreeBlock::Entries& entries) {
          if (!block.waits.is_waiting(index)) return;
          KeptTree& tree = block.kept[index];
          tree.content.reserve(trees.sizes()[index]);
          for (const format::TreeBlock::Entry& entry : entries) {
            Append(tree.content, AsBytes(format::kTreeModes[entry.mode]));
            tree.content.push_back(' ');
            Append(tree.content, AsBytes(trees.name(entry)));
            tree.content.push_back(0);
            if (trees.links().IsOutside(entry.child)) {
              Append(tree.content, trees.links().OutsideId(entry.child));
              continue;
            }
            const ObjectNumber child = format::LinkDecoder::Object(entry.child);
            if (!proving_.ids.IsKnown(child)) {
              tree.missing.emplace_back(tree.content.size(), child);
            }
            Append(tree.content, proving_.ids.Id(child).bytes());
          }
        });
  }

  Status UseKept(LoadedBlock& block, const std::vector<uint32_t>& wave,
                 const std::function<Status(ByteView)>& use) {
    for (const uint32_t index : wave) {
      auto [content, missing] = std::exchange(block.kept[index], {});
      for (const auto& [offset, child] : missing) {
        std::ranges::copy(proving_.ids.Id(child).bytes(), &content[offset]);
      }
      kept_bytes_ -= content.size();
      ZPACK_TRY(CountWork(content.size()));
      ZPACK_TRY(use(content));
    }
    return {};
  }

  // Bytes of the wanted trees and their bases, and what it costs to look at
  // each tree.
  static uint64_t RebuiltBytes(const format::TreeBlock& trees,
                               WantedObjects wanted) {
    uint64_t bytes = kLook * trees.count();
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
        streams, {header.first_object, proving_.file.object_end(row),
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

  // Writes the ids of `links` into a commit of the block `row`.
  void FillIn(const std::vector<LinkNumber>& links, size_t row,
              std::span<uint8_t> commit) const {
    size_t at = 0;
    for (size_t i = 0; i < links.size(); ++i) {
      at += i == 0 ? kTreeLabel : kParentLabel;
      if (links[i].value() < proving_.file.object_end(row)) {
        const std::string hex =
            proving_.ids.Id(ObjectNumber(links[i].value())).ToHex();
        std::memcpy(&commit[at], hex.data(), hex.size());
      }
      at += hex_width_ + 1;
    }
  }

  // Fills in the ids in the contents of the commits.
  Status ProveCommits(Wave& wave, ProvingWorker& worker) {
    LoadedBlock& block = *wave.block;
    auto& whole = std::get<WholeObjects>(block.decoded.form);
    for (const uint32_t index : wave.objects) {
      const std::span<uint8_t> content(&whole.contents[whole.offsets[index]],
                                       block.decoded.objects.sizes[index]);
      FillIn(block.links[index], blocks_[block.at].row, content);
      wave.ids.push_back(worker.hasher.Hash(ObjectType::kCommit, content));
      wave.bytes += content.size();
    }
    return CountWork(wave.bytes);
  }

  const Proving& proving_;
  size_t hex_width_;
  std::vector<LinkedBlock> blocks_;  // the last one first
  // By block: everything in it is proven, or it is damaged.
  std::vector<bool> done_;
  // By block; null unless it is in memory.
  std::vector<std::unique_ptr<LoadedBlock>> loaded_;
  std::deque<size_t> order_;  // of the loaded blocks, and some that were
  uint64_t memory_ = 0;       // of the loaded blocks
  // By number of an object: the blocks in which others wait for its id.
  std::unordered_map<uint32_t, std::vector<size_t>> waiting_;
  std::vector<size_t> queue_;  // blocks with objects that are ready
  bool progress_ = false;
  std::atomic<uint64_t> kept_bytes_ = 0;
  std::atomic<uint64_t> work_ = 0;
  std::atomic<bool> gave_up_ = false;
  ProvingWorker worker_;  // of the calling thread
};

}  // namespace

Status ProveLinkedObjects(const Proving& proving,
                          const std::vector<LinkedBlock>& blocks) {
  if (blocks.empty()) return {};
  return LinkedProver(proving, blocks).Run();
}

}  // namespace zpack
