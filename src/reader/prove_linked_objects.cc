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
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hex.h"
#include "base/parallel.h"
#include "object/object_batch_hasher.h"
#include "object/object_hasher.h"
#include "reader/block_decoder.h"
#include "reader/object_prover.h"
#include "reader/object_waits.h"
#include "reader/tree_children.h"

namespace zpack {
namespace {

// How many times the maximum expansion of the file may be decoded.
constexpr uint64_t kMaxDecodings = 2;
// Bytes of decoded blocks that need each other and are kept at the same time.
constexpr uint64_t kMaxLoaded = uint64_t{128} << 20;

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

// A decoded block whose objects are being proven.
struct LoadedBlock {
  size_t at = 0;  // position among the blocks
  DecodedBlock decoded;
  CommitBlockLinks links;  // of commits
  ObjectWaits waits;

  uint64_t memory() const {
    uint64_t bytes = decoded.memory() + waits.memory();
    for (const auto& of_commit : links) {
      bytes += sizeof(of_commit) + of_commit.size() * sizeof(LinkNumber);
    }
    return bytes;
  }
};

// Objects of a block whose links are known, and what they hash to.
struct Wave {
  LoadedBlock* block;
  std::vector<uint32_t> objects;  // their positions in the block, ascending
  std::vector<ObjectId> ids = {};
  uint64_t bytes = 0;
};

class LinkedProver {
 public:
  LinkedProver(const Proving& proving, const std::vector<LinkedBlock>& blocks)
      : proving_(proving),
        hex_width_(2 * ObjectIdWidth(proving.file.object_format())),
        blocks_(blocks),
        done_(blocks.size()),
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
    std::deque<LoadedBlock> loaded;
    uint64_t memory = 0;
    while (!left.empty() && !gave_up_) {
      const auto some = left.first(
          std::min<size_t>(left.size(), std::max(proving_.threads, 1U)));
      left = left.subspan(some.size());
      ZPACK_TRY(LoadSome(some, loaded, memory));
      ZPACK_TRY(ProveReady(loaded));
      while (memory > kMaxLoaded && loaded.size() > 1) {
        memory -= std::min(memory, loaded.front().memory());
        loaded.pop_front();
      }
    }
    return {};
  }

  Status LoadSome(std::span<const size_t> some, std::deque<LoadedBlock>& loaded,
                  uint64_t& memory) {
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
      memory += (**blocks[i]).memory();
      loaded.push_back(std::move(**blocks[i]));
    }
    return {};
  }

  // Proves what is ready in the loaded blocks, until nothing is.
  Status ProveReady(std::deque<LoadedBlock>& loaded) {
    // Bytes for which it pays to start threads.
    constexpr uint64_t kMuch = uint64_t{512} << 10;
    while (!gave_up_) {
      ZPACK_TRY(CheckStop(proving_.stop));
      std::vector<Wave> waves;
      uint64_t bytes = 0;
      for (LoadedBlock& block : loaded) {
        if (done_[block.at] || !block.waits.has_ready()) {
          continue;
        }
        waves.emplace_back(&block, block.waits.Take());
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
      for (size_t i = 0; i < waves.size(); ++i) {
        if (!done[i]) ZPACK_TRY(Lose(waves[i].block->at, done[i].error()));
        if (done[i]) TakeWave(waves[i], loaded);
      }
    }
    return {};
  }

  // Ids are written while no thread reads them.
  void TakeWave(const Wave& wave, std::deque<LoadedBlock>& loaded) {
    SetProven(wave);
    const uint32_t first =
        wave.block->decoded.objects.header.first_object.value();
    for (LoadedBlock& other : loaded) {
      for (const uint32_t index : wave.objects) {
        other.waits.Notify(first + index);
      }
    }
    if (wave.block->waits.left() == 0) {
      done_[wave.block->at] = true;
    }
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
    proving_.ids.Retract(blocks_[at].row);
    done_[at] = true;
    return proving_.lose(blocks_[at].row, error);
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
    ZPACK_TRY(CountWork(decoded.memory()));
    return Start(at, std::move(decoded), std::move(links));
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

  LoadedBlock Start(size_t at, DecodedBlock decoded, CommitBlockLinks links) {
    const format::BlockHeader& header = decoded.objects.header;
    ObjectWaits waits(header.first_object, header.object_count, proving_.ids);
    if (const format::TreeBlock* const trees = decoded.trees()) {
      AddWaits(*trees, waits);
    }
    for (uint32_t index = 0; index < links.size(); ++index) {
      for (const LinkNumber link : links[index]) {
        if (!Knows(link)) waits.Add(index, link.value());
      }
    }
    waits.Begin();
    return {at, std::move(decoded), std::move(links), std::move(waits)};
  }

  void AddWaits(const format::TreeBlock& trees, ObjectWaits& waits) const {
    // Every child of a tree comes from an edit of the tree or of one of its
    // bases.
    NumberSet unknown;
    for (uint32_t index = 0; index < trees.count(); ++index) {
      for (const format::TreeBlock::Edit& edit : trees.edits(index)) {
        if (edit.kind == format::TreeEditKind::kRemove) continue;
        if (!Knows(edit.entry.child)) unknown.Add(edit.entry.child.value());
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
    return wave.block->decoded.trees() != nullptr ? ProveTrees(wave, worker)
                                                  : ProveCommits(wave, worker);
  }

  void SetProven(const Wave& wave) {
    const ObjectNumber first = wave.block->decoded.objects.header.first_object;
    for (size_t i = 0; i < wave.objects.size(); ++i) {
      proving_.ids.SetProven(first + wave.objects[i], wave.ids[i]);
    }
    progress_ = true;
    if (proving_.advance) proving_.advance(wave.objects.size(), wave.bytes);
  }

  Status ProveTrees(Wave& wave, ProvingWorker& worker) {
    const auto take_hashes = [&] {
      const auto& ids = worker.batch_hasher.Finish();
      wave.ids.insert(wave.ids.end(), ids.begin(), ids.end());
    };
    const Status rebuilt = RebuildTrees(
        wave.block->decoded, wave.objects, [&](ByteView content) -> Status {
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
  Status RebuildTrees(const DecodedBlock& block,
                      const std::vector<uint32_t>& wave,
                      const std::function<Status(ByteView)>& use) {
    const format::TreeBlock& trees = *block.trees();
    WantedObjects wanted(trees.count());
    for (const uint32_t index : wave) wanted[index] = true;
    // Bytes to rebuild all trees together, or each from its first base.
    const uint64_t together = RebuiltBytes(trees, wanted);
    uint64_t alone = 0;
    for (const uint32_t index : wave) {
      alone += trees.sizes()[index];
      for (auto base = trees.base(index); base && alone < together;
           base = trees.base(*base)) {
        alone += trees.sizes()[*base];
      }
    }
    ZPACK_TRY(CountWork(std::min(alone, together)));
    if (alone < together) {
      Bytes buffer;
      for (const uint32_t index : wave) {
        ZPACK_TRY(use(block.Object(index, buffer)));
      }
      return {};
    }
    return block.ForEachObject(
        wanted, proving_.file.max_kept(),
        [&](size_t, ByteView content) { return use(content); });
  }

  // Bytes of the wanted trees and their bases, and what it costs to look at
  // each tree.
  static uint64_t RebuiltBytes(const format::TreeBlock& trees,
                               WantedObjects wanted) {
    constexpr uint64_t kLook = 32;
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

  // Fills in the ids in the contents of the commits.
  Status ProveCommits(Wave& wave, ProvingWorker& worker) {
    LoadedBlock& block = *wave.block;
    auto& whole = std::get<WholeObjects>(block.decoded.form);
    for (const uint32_t index : wave.objects) {
      const std::span<uint8_t> content(&whole.contents[whole.offsets[index]],
                                       block.decoded.objects.sizes[index]);
      FillIn(block.links[index], content);
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
  bool progress_ = false;
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
