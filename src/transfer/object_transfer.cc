// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "transfer/object_transfer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/visitor.h"
#include "object/object_batch_checker.h"
#include "object/object_hasher.h"
#include "reader/object_reader.h"
#include "reader/object_run.h"

namespace zpack {
namespace {

// Objects that are larger than the window in the sink's form are not held as a
// whole. Most blocks of this library's writer are smaller.
constexpr uint64_t kMaxWindow = uint64_t{32} << 20;
constexpr uint64_t kMinWindow = uint64_t{2} << 20;
// With little memory: the memory of the program and of a block of this
// library's writer, and the share of the rest that is one window. Memory for
// four windows is needed: the candidates, the index of the largest candidate,
// and two blocks in the sink's form.
constexpr uint64_t kWithoutWindow = uint64_t{24} << 20;
constexpr uint64_t kWindowShare = 5;
// Where few objects of each block are chosen, several blocks are one item, so
// that similar objects of neighbouring blocks meet.
constexpr uint32_t kItemObjects = 2000;
constexpr size_t kItemRuns = 16;

// Everything that concerns a whole transfer.
struct Transfer {
  const FileBlocks& blocks;
  const TransferChoice* choice;  // null: all objects
  const RunOptions& run;
  ObjectSink& sink;
  ObjectReader* outside_bases;  // null if there are none

  bool Chooses(ObjectNumber number) const {
    return choice == nullptr || choice->chosen[number];
  }
  ObjectId id(ObjectNumber number) const { return blocks.id(number); }
  // The chosen objects of a block, and their number.
  std::pair<WantedObjects, uint32_t> InBlock(size_t block) const;
  // Says which blocks will be read.
  void Prefetch() const;
};

void Transfer::Prefetch() const {
  size_t first = 0;
  for (size_t block = 0; block <= blocks.block_count(); ++block) {
    if (block < blocks.block_count() && InBlock(block).second != 0) continue;
    if (first < block) blocks.Prefetch(first, block);
    first = block + 1;
  }
}

std::pair<WantedObjects, uint32_t> Transfer::InBlock(size_t block) const {
  const ObjectNumber first = blocks.first_object(block);
  const uint32_t count = blocks.block_object_count(block);
  if (choice == nullptr) return {{}, count};
  WantedObjects wanted(count);
  uint32_t chosen = 0;
  for (uint32_t index = 0; index < count; ++index) {
    wanted[index] = choice->chosen[first + index];
    if (wanted[index]) ++chosen;
  }
  if (chosen == count) wanted.clear();
  return {std::move(wanted), chosen};
}

// An object in the sink's form.
struct MovedObject {
  ObjectId id;
  PreparedObject prepared;
  size_t end = 0;  // end of its bytes in those of the item
};

// Neighbouring blocks, or objects in segments, with their chosen objects in the
// sink's form. If that form is too large, or if an object is in segments, the
// consumer prepares the objects one by one.
struct Item {
  std::vector<BlockRun> runs;
  std::vector<MovedObject> objects;
  Bytes stored;  // of all objects
  bool large = false;
  // What was transferred:
  uint64_t count = 0;
  uint64_t raw_bytes = 0;
};

// Checks the objects of blocks and converts them into the sink's form.
class Preparer {
 public:
  explicit Preparer(const Transfer& transfer)
      : transfer_(transfer),
        checker_(
            transfer.blocks.object_format(),
            [this](const ObjectId& expected, const ObjectId& actual) -> Status {
              if (actual == expected) return {};
              return std::unexpected(
                  HashMismatch(transfer_.blocks, run_, expected, actual));
            }),
        preparer_(transfer.sink.NewPreparer(TransferWindow(transfer.run))) {}

  Preparer(const Preparer&) =
      delete;  // checker_ keeps a pointer to this object
  Preparer& operator=(const Preparer&) = delete;

  // The next block begins a new item.
  void BeginItem() { type_.reset(); }

  // Calls `take` with each chosen object of `block`, until it returns kStop,
  // after appending its stored form to `item.stored`. The last objects may be
  // checked after that. Counts objects and bytes in `item`.
  Status Prepare(Item& item, const BlockRun& run, const DecodedBlock& block,
                 const Visitor<const MovedObject&>& take) {
    run_ = run;
    Begin(block);
    const format::BlockLayout* const layout = block.layout();
    const WantedObjects wanted = transfer_.InBlock(run.first).first;
    at_.assign(layout == nullptr ? 0 : layout->sizes.size(), kNone);
    const Status prepared = block.ForEachObject(
        wanted, transfer_.blocks.max_kept(),
        [&](size_t index, ByteView content) -> Result<Visit> {
          ZPACK_TRY(CheckStop(transfer_.run.stop));
          const auto at = static_cast<uint32_t>(index);
          const ObjectNumber number = block.objects.header.first_object + at;
          MovedObject object{transfer_.id(number), {}, 0};
          ZPACK_TRY(checker_.Add(*type_, content, object.id));
          KnownResemblance like;
          if (layout != nullptr) {
            like = Like(block, *layout, at);
            at_[at] = position_;
          }
          // A base further up the chain resembles the object less than the
          // receiver's object of the same name.
          if (like.delta == nullptr) {
            ZPACK_ASSIGN_OR_RETURN(const bool added, AddOutsideBase(number));
            if (added) like = {};
          }
          ZPACK_ASSIGN_OR_RETURN(
              object.prepared, preparer_->Prepare(content, like, item.stored));
          ++position_;
          object.end = item.stored.size();
          ++item.count;
          item.raw_bytes += content.size();
          return take(object);
        });
    // Mismatches of earlier objects take precedence over a later error.
    ZPACK_TRY(checker_.Finish());
    return prepared;
  }

  // Only hashes the chosen objects of `block`.
  Status Check(const BlockRun& run, const DecodedBlock& block) {
    run_ = run;
    const format::BlockHeader& header = block.objects.header;
    const Status checked = block.ForEachObject(
        transfer_.InBlock(run.first).first, transfer_.blocks.max_kept(),
        [&](size_t index, ByteView content) -> Status {
          ZPACK_TRY(CheckStop(transfer_.run.stop));
          return checker_.Add(
              header.type, content,
              transfer_.id(header.first_object + static_cast<uint32_t>(index)));
        });
    ZPACK_TRY(checker_.Finish());
    return checked;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Begins a new run of the preparer, unless `block` continues the last one.
  void Begin(const DecodedBlock& block) {
    const ObjectType type = block.objects.header.type;
    const auto resemblance =
        block.layout() == nullptr ? Resemblance::kNone : Resemblance::kSome;
    if (type_ == type && resemblance_ == resemblance) return;
    type_ = type;
    resemblance_ = resemblance;
    position_ = 0;
    preparer_->Begin(type, resemblance);
  }

  // The nearest chosen base of object `index`, and the delta of the file if
  // that is the base in the file.
  KnownResemblance Like(const DecodedBlock& block,
                        const format::BlockLayout& layout, uint32_t index) {
    const auto direct = layout.base(index);
    for (auto base = direct; base; base = layout.base(*base)) {
      if (at_[*base] == kNone) continue;
      KnownResemblance like{.distance = position_ - at_[*base]};
      if (base == direct) {
        block.ReadDelta(index, delta_);
        like.delta = &delta_;
      }
      return like;
    }
    return {};
  }

  // Returns whether object `number` has an outside base.
  Result<bool> AddOutsideBase(ObjectNumber number) {
    if (transfer_.outside_bases == nullptr) return false;
    const auto base = transfer_.choice->outside_bases.find(number);
    if (base == transfer_.choice->outside_bases.end()) return false;
    const ObjectId id = transfer_.id(base->second);
    Bytes content;
    ZPACK_ASSIGN_OR_RETURN(
        const ObjectType type,
        transfer_.outside_bases->Read(base->second, id, content));
    if (type != *type_) return false;
    preparer_->AddOutsideBase(id, content);
    return true;
  }

  const Transfer& transfer_;
  BlockRun run_;  // of the current block
  ObjectBatchChecker checker_;
  std::unique_ptr<ObjectPreparer> preparer_;
  // State of the preparer's run:
  std::optional<ObjectType> type_;
  Resemblance resemblance_ = Resemblance::kNone;
  uint32_t position_ = 0;
  Delta delta_;
  // By index in the block: the position of a prepared object in the run.
  std::vector<uint32_t> at_;
};

class Worker {
 public:
  explicit Worker(const Transfer& transfer)
      : transfer_(transfer),
        max_prepared_(TransferWindow(transfer.run)),
        preparer_(transfer) {}

  Status Run(Item& item) {
    preparer_.BeginItem();
    for (const BlockRun& run : item.runs) {
      ZPACK_ASSIGN_OR_RETURN(const BlockCache::BlockPtr block,
                             Decode(run.first));
      item.large = IsSegmented(run, *block);
      if (!item.large) {
        const Status prepared = preparer_.Prepare(
            item, run, *block, [&](const MovedObject& object) -> Result<Visit> {
              item.objects.push_back(object);
              item.large = item.stored.size() > max_prepared_;
              return item.large ? Visit::kStop : Visit::kContinue;
            });
        if (!item.large) ZPACK_TRY(prepared);
      }
      if (item.large) {
        // The consumer prepares the item again, one object at a time.
        Item again;
        again.runs = std::move(item.runs);
        again.large = true;
        item = std::move(again);
        return {};
      }
    }
    return {};
  }

 private:
  // Outside bases are mostly in the blocks of the objects that resemble them,
  // so their reader then decodes for both.
  Result<BlockCache::BlockPtr> Decode(size_t block) {
    if (transfer_.outside_bases != nullptr) {
      return transfer_.outside_bases->Block(block);
    }
    ZPACK_ASSIGN_OR_RETURN(DecodedBlock decoded,
                           decoder_.Decode(transfer_.blocks, block));
    return std::make_shared<const DecodedBlock>(std::move(decoded));
  }

  const Transfer& transfer_;
  uint64_t max_prepared_;
  BlockDecoder decoder_;
  Preparer preparer_;
};

// Adds the objects of a prepared item.
Status AddItem(ObjectSink& sink, const Item& item) {
  size_t begin = 0;
  for (const MovedObject& object : item.objects) {
    ZPACK_TRY(
        sink.Add(object.id, object.prepared,
                 ByteView(item.stored).subspan(begin, object.end - begin)));
    begin = object.end;
  }
  return {};
}

// Decodes and adds blocks and objects that are too large to be prepared by a
// worker.
class LargeItemAdder {
 public:
  explicit LargeItemAdder(const Transfer& transfer) : transfer_(transfer) {}

  Status Add(Item& item) {
    for (const BlockRun& run : item.runs) {
      ZPACK_ASSIGN_OR_RETURN(const DecodedBlock block,
                             decoder_.Decode(transfer_.blocks, run.first));
      ZPACK_TRY(IsSegmented(run, block) ? AddObject(run, block, item)
                                        : AddObjects(run, block, item));
    }
    return {};
  }

 private:
  bool HashFirst() const {
    return transfer_.sink.retraction() == Retraction::kImpossible;
  }

  // Prepares and adds the objects of a block one by one.
  Status AddObjects(const BlockRun& run, const DecodedBlock& block,
                    Item& item) {
    Preparer preparer(transfer_);
    if (HashFirst()) ZPACK_TRY(preparer.Check(run, block));
    return preparer.Prepare(
        item, run, block, [&](const MovedObject& object) -> Status {
          ZPACK_TRY(
              transfer_.sink.Add(object.id, object.prepared, item.stored));
          item.stored.clear();
          return {};
        });
  }

  // Adds the object in segments whose first segment is `first`.
  Status AddObject(const BlockRun& run, const DecodedBlock& first, Item& item) {
    const ObjectInfo info{first.objects.header.type,
                          first.objects.sizes.front()};
    const ObjectId id = transfer_.id(first.objects.header.first_object);
    if (HashFirst()) {
      ZPACK_TRY(Stream(run, first, id, [](ByteView) { return Status{}; }));
    }
    ZPACK_TRY(transfer_.sink.Begin(id, info));
    ZPACK_TRY(Stream(run, first, id, [this](ByteView piece) {
      return transfer_.sink.Append(piece);
    }));
    ++item.count;
    item.raw_bytes += info.size;
    return transfer_.sink.End();
  }

  // Passes the content of an object in segments to `piece` and hashes it.
  Status Stream(const BlockRun& run, const DecodedBlock& first,
                const ObjectId& id,
                const std::function<Status(ByteView)>& piece) {
    ObjectHasher hasher(transfer_.blocks.object_format());
    hasher.Begin({first.objects.header.type, first.objects.sizes.front()});
    ZPACK_TRY(StreamSegments(transfer_.blocks, run, first, decoder_,
                             [&](ByteView bytes) -> Status {
                               hasher.Update(bytes);
                               ZPACK_TRY(CheckStop(transfer_.run.stop));
                               return piece(bytes);
                             }));
    const ObjectId actual = hasher.Finish();
    if (actual == id) return {};
    return std::unexpected(HashMismatch(transfer_.blocks, run, id, actual));
  }

  const Transfer& transfer_;
  BlockDecoder decoder_;
};

// Cuts the file into items.
class ItemCutter {
 public:
  explicit ItemCutter(const Transfer& transfer) : transfer_(transfer) {}

  // Fills `item` with the next blocks that have chosen objects. Returns false
  // at the end of the file.
  bool Next(Item& item) {
    const FileBlocks& blocks = transfer_.blocks;
    uint32_t objects = 0;
    while (next_ < blocks.block_count() && item.runs.size() < kItemRuns) {
      const BlockRun run = RunAt(blocks, next_);
      const uint32_t chosen =
          run.size() > 1
              ? uint32_t{transfer_.Chooses(blocks.first_object(run.first))}
              : transfer_.InBlock(run.first).second;
      if (objects != 0 && objects + chosen > kItemObjects) break;
      next_ = run.last;
      if (chosen == 0) continue;
      item.runs.push_back(run);
      objects += chosen;
      // A block that is transferred as a whole is an item.
      if (transfer_.choice == nullptr) break;
    }
    return !item.runs.empty();
  }

 private:
  const Transfer& transfer_;
  size_t next_ = 0;
};

Status RunTransfer(const Transfer& transfer, const TransferProgress& progress) {
  transfer.Prefetch();
  ItemCutter cutter(transfer);
  return RunOrderedPipeline<Item>(
      PipelineThreads{ResolveThreads(transfer.run.threads), transfer.run.stop},
      [&] { return Worker(transfer); },
      [&](Item& item) -> Result<bool> { return cutter.Next(item); },
      [](Item& item, Worker& worker) { return worker.Run(item); },
      [&](Item& item) -> Status {
        ZPACK_TRY(item.large ? LargeItemAdder(transfer).Add(item)
                             : AddItem(transfer.sink, item));
        progress(item.count, item.raw_bytes);
        return {};
      });
}

}  // namespace

uint64_t TransferWindow(const RunOptions& run) {
  if (!run.memory) return kMaxWindow;
  const uint64_t left =
      *run.memory - std::min<uint64_t>(*run.memory, kWithoutWindow);
  return std::clamp(left / kWindowShare, kMinWindow, kMaxWindow);
}

Status TransferObjects(const ArchiveFile& archive, const TransferChoice* choice,
                       const RunOptions& run, ObjectSink& sink,
                       const TransferProgress& progress) {
  std::optional<ObjectReader> outside_bases;
  if (choice != nullptr && !choice->outside_bases.empty()) {
    outside_bases.emplace(archive);
  }
  return RunTransfer({archive.blocks(), choice, run, sink,
                      outside_bases ? &*outside_bases : nullptr},
                     progress);
}

Status TransferObjects(const FileBlocks& blocks, const TransferChoice& choice,
                       const RunOptions& run, ObjectSink& sink,
                       const TransferProgress& progress) {
  return RunTransfer({blocks, &choice, run, sink, nullptr}, progress);
}

}  // namespace zpack
