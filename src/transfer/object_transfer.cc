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
#include "object/object_batch_checker.h"
#include "reader/far_base_reader.h"
#include "reader/object_reader.h"
#include "reader/visit_run.h"

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
// In the sink's form, deltas go through at most so many blocks of the file,
// each with a chain of its own: Git rebuilds the whole chain to read an object.
constexpr uint32_t kMaxDeltaBlocks = 4;

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
  // Returns kCorrupt unless an object of `its_run` hashes to its id.
  Status Compare(const BlockRun& its_run, const ObjectId& expected,
                 const ObjectId& actual) const {
    if (actual == expected) return {};
    return std::unexpected(HashMismatch(blocks, its_run, expected, actual));
  }
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

// Compares the objects of one run after the other with their ids.
class RunChecker {
 public:
  explicit RunChecker(const Transfer& transfer)
      : transfer_(transfer),
        batch_(transfer.blocks.object_format(),
               [this](const ObjectId& expected, const ObjectId& actual) {
                 return transfer_.Compare(run_, expected, actual);
               }) {}

  RunChecker(const RunChecker&) = delete;  // batch_ keeps a pointer to this
  RunChecker& operator=(const RunChecker&) = delete;

  void Begin(const BlockRun& run) { run_ = run; }
  // Several objects are hashed together, so an error may concern an earlier
  // object.
  Status Add(ObjectNumber number, ObjectType type, ByteView content) {
    return batch_.Add(type, content, transfer_.id(number));
  }
  // Checks the objects that are still waiting.
  Status Finish() { return batch_.Finish(); }

 private:
  const Transfer& transfer_;
  BlockRun run_;
  ObjectBatchChecker batch_;
};

// Checks the objects of blocks and converts them into the sink's form.
class Preparer {
 public:
  explicit Preparer(const Transfer& transfer)
      : transfer_(transfer),
        checker_(transfer),
        preparer_(transfer.sink.NewPreparer(TransferWindow(transfer.run))),
        far_budget_(FarBudgetOf(transfer.blocks)) {}

  // The next block begins a new item.
  void BeginItem() { type_.reset(); }

  // Begins a block: a new run of the preparer, unless it continues the last
  // one. `block` must outlive the calls of Prepare.
  void Begin(const BlockRun& run, const DecodedBlock& block) {
    checker_.Begin(run);
    block_ = &block;
    const format::BlockLayout* const layout = block.layout();
    at_.assign(layout == nullptr ? 0 : layout->index_end(), kNone);
    const ObjectType type = block.objects.header.type;
    const auto resemblance =
        layout == nullptr ? Resemblance::kNone : Resemblance::kSome;
    if (type_ == type && resemblance_ == resemblance) return;
    type_ = type;
    resemblance_ = resemblance;
    position_ = 0;
    preparer_->Begin(type, resemblance);
  }

  // Appends the stored form of an object of the block to `item.stored`, and
  // counts the object in `item`. It may be checked later.
  Result<MovedObject> Prepare(ObjectNumber number, ByteView content,
                              Item& item) {
    ZPACK_TRY(checker_.Add(number, *type_, content));
    KnownResemblance like;
    if (block_->layout() != nullptr) {
      const uint32_t index = number - block_->objects.header.first_object;
      like = Like(index);
      at_[index] = position_;
    }
    // A base further up the chain resembles the object less than the receiver's
    // object of the same name.
    if (like.delta == nullptr) {
      ZPACK_ASSIGN_OR_RETURN(const bool added, AddOutsideBase(number));
      if (added) {
        like = {};
      } else {
        ZPACK_TRY(AddFarBase(number, like));
      }
    }
    MovedObject object{transfer_.id(number), {}, 0};
    ZPACK_ASSIGN_OR_RETURN(object.prepared,
                           preparer_->Prepare(content, like, item.stored));
    ++position_;
    object.end = item.stored.size();
    ++item.count;
    item.raw_bytes += content.size();
    return object;
  }

  // Ends the block: checks the last objects.
  Status Finish() { return checker_.Finish(); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The nearest chosen base of object `index`, and the delta of the file if
  // that is the base in the file.
  KnownResemblance Like(uint32_t index) {
    const format::BlockLayout& layout = *block_->layout();
    const auto direct = layout.base(index);
    for (auto base = direct; base; base = layout.base(*base)) {
      if (at_[*base] == kNone) continue;
      KnownResemblance like{.distance = position_ - at_[*base]};
      if (base == direct) {
        block_->ReadDelta(index, delta_);
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

  // If the base of object `number` is in an earlier block, makes it a
  // candidate, and sets `like` to the delta of the file.
  Status AddFarBase(ObjectNumber number, KnownResemblance& like) {
    // Only the numbers of all objects are positions in the sink.
    if (transfer_.choice != nullptr) return {};
    const uint32_t index = number - block_->objects.header.first_object;
    const format::FarBase* const far = block_->FarBaseOf(index);
    if (far == nullptr) return {};
    ZPACK_ASSIGN_OR_RETURN(const auto base, transfer_.blocks.far_bases().Read(
                                                *far, *type_, far_budget_));
    if (base->blocks % kMaxDeltaBlocks == 0) return {};
    preparer_->AddEarlierBase(number - far->number, *base->content);
    block_->ReadDelta(index, delta_);
    like = {.distance = 0, .delta = &delta_};
    return {};
  }

  const Transfer& transfer_;
  RunChecker checker_;
  std::unique_ptr<ObjectPreparer> preparer_;
  FarBudget far_budget_;
  const DecodedBlock* block_ = nullptr;
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
      ZPACK_TRY(Prepare(run, item));
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
  // Adds the objects of `run` to `item`, unless that makes the item large.
  Status Prepare(const BlockRun& run, Item& item) {
    ZPACK_ASSIGN_OR_RETURN(const BlockCache::BlockPtr block, Decode(run.first));
    preparer_.Begin(run, *block);
    const Result<Visit> visited = VisitRun(
        {transfer_.blocks, decoder_, transfer_.run.stop}, run, *block,
        transfer_.InBlock(run.first).first,
        {.object = [&](ObjectNumber number, ObjectType /*type*/,
                       ByteView content) -> Result<Visit> {
           ZPACK_ASSIGN_OR_RETURN(item.objects.emplace_back(),
                                  preparer_.Prepare(number, content, item));
           item.large = item.stored.size() > max_prepared_;
           return item.large ? Visit::kStop : Visit::kContinue;
         },
         .begin = [&](ObjectNumber /*number*/,
                      const ObjectInfo& /*info*/) -> Result<Visit> {
           item.large = true;
           return Visit::kStop;
         }});
    const Status checked = preparer_.Finish();
    if (item.large) return {};
    // Mismatches of earlier objects take precedence over a later error.
    ZPACK_TRY(checked);
    ZPACK_TRY(visited);
    return {};
  }

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
      if (transfer_.sink.retraction() == Retraction::kImpossible) {
        ZPACK_TRY(Check(run, block));
      }
      ZPACK_TRY(AddRun(run, block, item));
    }
    return {};
  }

 private:
  // Visits the chosen objects of `run`.
  Result<Visit> VisitChosen(const BlockRun& run, const DecodedBlock& block,
                            const RunVisitor& visitor) {
    return VisitRun({transfer_.blocks, decoder_, transfer_.run.stop}, run,
                    block, transfer_.InBlock(run.first).first, visitor);
  }

  // Compares the object in segments that `run` consists of.
  Status CheckSegmented(const BlockRun& run, const ObjectId& actual) const {
    return transfer_.Compare(
        run, transfer_.id(transfer_.blocks.first_object(run.first)), actual);
  }

  // Only hashes the chosen objects.
  Status Check(const BlockRun& run, const DecodedBlock& block) {
    RunChecker checker(transfer_);
    checker.Begin(run);
    const Result<Visit> visited = VisitChosen(
        run, block,
        {.object =
             [&](ObjectNumber number, ObjectType type, ByteView content) {
               return checker.Add(number, type, content);
             },
         .piece = [](ByteView /*piece*/) { return Status{}; },
         .end =
             [&](const ObjectId& actual) {
               return CheckSegmented(run, actual);
             }});
    ZPACK_TRY(checker.Finish());
    ZPACK_TRY(visited);
    return {};
  }

  // Prepares and adds the chosen objects one by one.
  Status AddRun(const BlockRun& run, const DecodedBlock& block, Item& item) {
    ObjectSink& sink = transfer_.sink;
    std::optional<Preparer> preparer;  // not for an object in segments
    const Result<Visit> visited = VisitChosen(
        run, block,
        {.object = [&](ObjectNumber number, ObjectType /*type*/,
                       ByteView content) -> Status {
           if (!preparer) {
             preparer.emplace(transfer_);
             preparer->Begin(run, block);
           }
           ZPACK_ASSIGN_OR_RETURN(const MovedObject object,
                                  preparer->Prepare(number, content, item));
           ZPACK_TRY(sink.Add(object.id, object.prepared, item.stored));
           item.stored.clear();
           return {};
         },
         .begin = [&](ObjectNumber number, const ObjectInfo& info) -> Status {
           ++item.count;
           item.raw_bytes += info.size;
           return sink.Begin(transfer_.id(number), info);
         },
         .piece = [&](ByteView piece) { return sink.Append(piece); },
         .end = [&](const ObjectId& actual) -> Status {
           ZPACK_TRY(CheckSegmented(run, actual));
           return sink.End();
         }});
    if (preparer) ZPACK_TRY(preparer->Finish());
    ZPACK_TRY(visited);
    return {};
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
