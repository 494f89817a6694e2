// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/group_sort.h"
#include "base/huge_pages.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/per_thread.h"
#include "pack/pack_delta.h"
#include "pack/pack_entry_stream.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

// Larger buffers are freed at once.
constexpr uint64_t kMaxKept = uint64_t{1} << 20;
// Bytes read at a time while entries are scanned.
constexpr uint64_t kScanSize = uint64_t{256} << 10;
// Entries that one thread scans at a time.
constexpr uint64_t kScanGrain = 4096;
// Approximate number of entries that are sorted at a time.
constexpr uint64_t kEntriesPerStretch = 16;

// Maximum size of an entry of `raw` bytes: more than any compressor makes. If
// the next entry is further away, something else lies between them.
constexpr uint64_t MaxEntrySize(uint64_t raw) {
  return raw + raw / 8 + (uint64_t{1} << 20);
}

// Frees a buffer that is kept for the next object if the buffer is large.
class BufferGuard {
 public:
  explicit BufferGuard(Bytes& buffer) : buffer_(buffer) {}
  BufferGuard(const BufferGuard&) = delete;
  BufferGuard& operator=(const BufferGuard&) = delete;
  ~BufferGuard() {
    if (buffer_.capacity() > kMaxKept) buffer_ = Bytes();
  }

 private:
  Bytes& buffer_;
};

// Kept for the next entry, unless the entry is large.
struct InflateState {
  Bytes stored;
  Inflater inflater;
};

std::unexpected<Error> Bad(uint64_t offset, const std::string& path) {
  return MakeError(ErrorCode::kCorrupt, "bad entry at offset {} of '{}'",
                   AtOffset{offset}, AtPath{path});
}

}  // namespace

PackReader::PackReader(std::unique_ptr<RandomAccessFile> file, uint64_t end,
                       std::shared_ptr<BaseCache> cache)
    : file_(std::move(file)),
      end_(end),
      cache_(std::move(cache)),
      number_(cache_->AddPack()) {}

Result<std::unique_ptr<PackReader>> PackReader::Open(
    ObjectFormat format, FileSystem& file_system, const std::string& base_path,
    std::shared_ptr<BaseCache> cache, unsigned threads) {
  ZPACK_ASSIGN_OR_RETURN(
      PackIndex index, ReadPackIndex(format, file_system, base_path + ".idx"));
  ZPACK_ASSIGN_OR_RETURN(auto file,
                         file_system.OpenForRead(base_path + ".pack"));
  return Create(std::move(index), std::move(file), std::move(cache), threads);
}

Result<std::unique_ptr<PackReader>> PackReader::Create(
    PackIndex index, std::unique_ptr<RandomAccessFile> file,
    std::shared_ptr<BaseCache> cache, unsigned threads) {
  const size_t hash = ObjectIdWidth(index.ids.format());
  ZPACK_TRY(CheckPackOfIndex(index, *file));
  const uint64_t end = file->size() - hash;
  std::unique_ptr<PackReader> reader(
      new PackReader(std::move(file), end, std::move(cache)));
  ZPACK_TRY(reader->PlaceEntries(index));
  reader->ids_ = std::move(index.ids);
  reader->PreferWholeCopies();
  ZPACK_TRY(reader->ScanEntries(threads));
  ZPACK_TRY(reader->ResolveTypes());
  reader->soundness_ = IndexedVector<PackPosition, std::atomic<Soundness>>(
      std::vector<std::atomic<Soundness>>(reader->entries_.size()));
  ZPACK_TRY(reader->PreferSoundCopies());
  return reader;
}

Status PackReader::PlaceEntries(const PackIndex& index) {
  const uint32_t distinct = index.ids.size();
  // Sorts by stretches of the pack with a few entries each, and then inside
  // each stretch.
  const auto count = static_cast<uint32_t>(distinct + index.copies.size());
  const auto is_copy = [&](PackRank entry) {
    return entry.value() >= distinct;
  };
  const auto copy = [&](PackRank entry) -> const PackIndex::Copy& {
    return index.copies[entry.value() - distinct];
  };
  const auto offset_of = [&](PackRank entry) {
    return is_copy(entry) ? copy(entry).offset : index.offsets[entry];
  };
  const uint64_t stretch =
      end_ / (uint64_t{count} + 1) * kEntriesPerStretch + 1;
  const auto places = SortByGroup<PackRank>(
      count, end_ / stretch + 1,
      [&](PackRank entry) {
        return std::min(offset_of(entry), end_) / stretch;
      },
      [&](PackRank entry) { return std::pair(offset_of(entry), entry); });
  FillTable(entries_.raw(), places.size());
  FillTable(positions_.raw(), distinct);
  if (!index.checksums.empty()) FillTable(checksums_.raw(), places.size());
  uint64_t expected = kPackHeaderSize;
  PackPosition position;
  for (const auto& [offset, entry] : places) {
    // The first entry follows the header, and no two entries have the same
    // offset.
    if (offset < expected || offset >= end_ || offset > Entry::kMaxOffset) {
      return Bad(offset, file_->path());
    }
    entries_[position].SetOffset(offset);
    if (is_copy(entry)) {
      copies_.push_back({position, copy(entry).rank});
    } else {
      positions_[entry] = position;
    }
    if (!checksums_.empty()) {
      checksums_[position] =
          is_copy(entry) ? copy(entry).checksum : index.checksums[entry];
    }
    expected = offset + 1;
    ++position;
  }
  return {};
}

void PackReader::PreferWholeCopies() {
  const auto is_whole = [&](PackPosition position) {
    const auto header = ReadHeader(position);
    return header && header->base == kNoBase;
  };
  for (auto& [copy, rank] : copies_) {
    PackPosition& chosen = positions_[rank];
    if (is_whole(copy) && !is_whole(chosen)) std::swap(copy, chosen);
  }
}

Status PackReader::PreferSoundCopies() {
  Bytes ids;
  for (auto& [copy, rank] : copies_) {
    PackPosition& chosen = positions_[rank];
    if (!IsSoundAt(chosen) && IsSoundAt(copy)) std::swap(copy, chosen);
    Append(ids, ids_[rank].bytes());
  }
  ZPACK_ASSIGN_OR_RETURN(
      repeated_, ObjectIdTable::FromUnsorted(ids_.format(), std::move(ids)));
  return {};
}

const IndexedVector<PackPosition, PackRank>& PackReader::Ranks() const {
  ranks_filled_.Do([&]() -> Status {
    FillTable(ranks_.raw(), entries_.size());
    for (const PackRank rank : positions_.indexes()) {
      ranks_[positions_[rank]] = rank;
    }
    for (const auto& [position, rank] : copies_) ranks_[position] = rank;
    return {};
  });
  return ranks_;
}

uint64_t PackReader::EntrySize(PackPosition position) const {
  const PackPosition after = position + 1;
  const uint64_t next =
      after < entries_.end_index() ? entries_[after].offset() : end_;
  return next - entries_[position].offset();
}

Result<PackReader::EntryHeader> PackReader::ParseHeader(PackPosition position,
                                                        ByteView bytes) const {
  const uint64_t offset = entries_[position].offset();
  ByteReader in(bytes);
  const auto read = ReadEntryHeader(in, ids_.format());
  if (!read || read->distance > offset) return Bad(offset, file_->path());
  EntryHeader header{.type = read->type, .size = read->size};
  if (header.type == kOffsetDelta) {
    const uint64_t base_offset = offset - read->distance;
    header.base = entries_[position].base;
    if (header.base == kNoBase ||
        entries_[header.base].offset() != base_offset) {
      const auto base =
          std::ranges::lower_bound(entries_, base_offset, {}, &Entry::offset);
      if (base == entries_.end() || base->offset() != base_offset) {
        return Bad(offset, file_->path());
      }
      header.base =
          PackPosition(static_cast<uint32_t>(base - entries_.begin()));
    }
  } else if (header.type == kReferenceDelta) {
    const auto rank = ids_.Find(ObjectId(read->base));
    if (!rank) return Bad(offset, file_->path());
    header.base = positions_[*rank];
  }
  header.length = bytes.size() - in.remaining();
  return header;
}

Status PackReader::ScanEntries(unsigned threads) {
  ZPACK_TRY(ParallelFor(threads, {}, entries_.size(), kScanGrain,
                        [&](uint64_t begin, uint64_t end) {
                          return ScanRange(
                              PackPosition(static_cast<uint32_t>(begin)),
                              PackPosition(static_cast<uint32_t>(end)));
                        }));
  for (const Entry& entry : entries_) {
    if (entry.base != kNoBase) entries_[entry.base].SetIsBase();
  }
  return {};
}

Status PackReader::ScanRange(PackPosition begin, PackPosition end) {
  StreamInflater inflater;
  Bytes buffer;
  uint64_t buffer_offset = 0;
  const uint64_t range_end = entries_[end - 1].offset() + EntrySize(end - 1);
  for (const PackPosition position : IndexRange(begin, end)) {
    const uint64_t offset = entries_[position].offset();
    // Enough for the headers of an entry and of a delta, however the delta is
    // compressed.
    const uint64_t wanted = std::min<uint64_t>(EntrySize(position), 4096);
    if (offset + wanted > buffer_offset + buffer.size()) {
      buffer.resize(std::min(kScanSize, range_end - offset));
      ZPACK_TRY(file_->Read(offset, buffer));
      buffer_offset = offset;
    }
    ZPACK_TRY(ScanEntry(
        position, ByteView(buffer).subspan(offset - buffer_offset, wanted),
        inflater));
  }
  return {};
}

Status PackReader::ScanEntry(PackPosition position, ByteView bytes,
                             StreamInflater& inflater) {
  Entry& entry = entries_[position];
  ZPACK_ASSIGN_OR_RETURN(const EntryHeader header,
                         ParseHeader(position, bytes));
  if (header.size > Entry::kMaxSize ||
      EntrySize(position) > MaxEntrySize(header.size)) {
    return Bad(entry.offset(), file_->path());
  }
  if (header.base == kNoBase) {
    entry.SetType(ObjectType{header.type});
    entry.SetSize(header.size);
    return {};
  }
  entry.base = header.base;
  std::array<uint8_t, kMaxPackDeltaHeader> start;
  const auto room =
      std::span(start).first(std::min<uint64_t>(start.size(), header.size));
  inflater.Reset();
  ZPACK_ASSIGN_OR_RETURN(const auto progress,
                         inflater.Run(bytes.subspan(header.length), room));
  ZPACK_ASSIGN_OR_RETURN(
      const PackDeltaHeader delta,
      DecodePackDeltaHeader(std::span(start).first(progress.produced)));
  if (delta.result_size > Entry::kMaxSize) {
    return Bad(entry.offset(), file_->path());
  }
  entry.SetSize(delta.result_size);
  return {};
}

Status PackReader::ResolveTypes() {
  std::vector<PackPosition> chain;
  for (const PackPosition position : entries_.indexes()) {
    PackPosition at = position;
    while (entries_[at].type() == ObjectType{0}) {
      chain.push_back(at);
      // A circular chain of reference deltas.
      if (chain.size() > entries_.size()) {
        return Bad(entries_[at].offset(), file_->path());
      }
      at = entries_[at].base;
    }
    for (; !chain.empty(); chain.pop_back()) {
      entries_[chain.back()].SetType(entries_[at].type());
    }
  }
  return {};
}

std::vector<PackRank> PackReader::DeltaOrder() const {
  // Children of each entry as linked lists, in pack order.
  IndexedVector<PackPosition, PackPosition> first(entries_.size(), kNoBase);
  IndexedVector<PackPosition, PackPosition> next(entries_.size(), kNoBase);
  std::vector<PackPosition> pending;  // entries without a base are last
  for (PackPosition at = entries_.end_index(); at-- != PackPosition();) {
    if (entries_[at].base == kNoBase) {
      pending.push_back(at);
    } else {
      next[at] = std::exchange(first[entries_[at].base], at);
    }
  }
  const IndexedVector<PackPosition, PackRank>& ranks = Ranks();
  std::vector<PackRank> order;
  order.reserve(positions_.size());
  while (!pending.empty()) {
    const PackPosition at = pending.back();
    pending.pop_back();
    if (positions_[ranks[at]] == at) order.push_back(ranks[at]);
    for (PackPosition child = first[at]; child != kNoBase;
         child = next[child]) {
      pending.push_back(child);
    }
  }
  return order;
}

Status PackReader::Inflate(PackPosition position, uint64_t max_size,
                           Bytes& raw) const {
  static PerThread<InflateState> states;
  InflateState& state = states.Get();
  const uint64_t size = EntrySize(position);
  Bytes large;
  Bytes& stored = size > kMaxKept ? large : state.stored;
  stored.resize(size);
  ZPACK_TRY(file_->Read(entries_[position].offset(), stored));
  ZPACK_ASSIGN_OR_RETURN(const EntryHeader header,
                         ParseHeader(position, stored));
  if (header.size > size * kMaxInflateRatio || header.size > max_size) {
    return MakeError(ErrorCode::kUnsupported, "object of {} bytes",
                     header.size);
  }
  raw.resize(header.size);
  return state.inflater.Inflate(ByteView(stored).subspan(header.length), raw);
}

Result<std::unique_ptr<ObjectStream>> PackReader::OpenStream(
    PackRank rank) const {
  const PackPosition position = positions_[rank];
  ZPACK_ASSIGN_OR_RETURN(const EntryHeader header, ReadHeader(position));
  const uint64_t offset = entries_[position].offset();
  return std::make_unique<PackEntryStream>(
      *file_, Info(rank), offset + header.length, offset + EntrySize(position));
}

Status PackReader::Expand(PackPosition position, ByteView base,
                          uint64_t max_size, Bytes& content) const {
  if (entries_[position].base == kNoBase) {
    return Inflate(position, max_size, content);
  }
  static PerThread<Bytes> deltas;
  Bytes& delta = deltas.Get();
  const BufferGuard guard(delta);
  ZPACK_TRY(Inflate(position, max_size, delta));
  return ApplyPackDelta(base, delta, max_size, content);
}

BaseCache::Found PackReader::FindBase(PackPosition position) {
  return entries_[position].is_base() ? cache_->Find(number_, position)
                                      : BaseCache::Found();
}

void PackReader::KeepBase(PackPosition position, ByteView content) {
  if (entries_[position].is_base()) cache_->Insert(number_, position, content);
}

Status PackReader::ReadStacked(std::vector<PackPosition>& chain,
                               BaseCache::Found& found, Bytes& content) {
  const PackPosition object = chain.front();
  Bytes base;
  if (found) {
    base.assign(found.content().begin(), found.content().end());
    found.Release();
  } else {
    ZPACK_TRY(Inflate(chain.back(), kMaxSize, base));
    KeepBase(chain.back(), base);
    chain.pop_back();
  }
  PackDeltaStack stack(base);
  for (; !chain.empty(); chain.pop_back()) {
    Bytes delta;
    ZPACK_TRY(Inflate(chain.back(), kMaxSize, delta));
    ZPACK_TRY(stack.Apply(std::move(delta), kMaxSize));
  }
  stack.CopyTo(content);
  KeepBase(object, content);
  return {};
}

Status PackReader::Read(PackRank rank, Bytes& content) {
  // Walks up to an object that is cached or stored whole, and then back.
  static PerThread<std::vector<PackPosition>> chains;
  std::vector<PackPosition>& chain = chains.Get();
  chain.clear();
  uint64_t chain_bytes = 0;
  uint64_t largest = 0;
  BaseCache::Found found;
  for (PackPosition at = positions_[rank]; at != kNoBase;
       at = entries_[at].base) {
    found = FindBase(at);
    if (found) break;
    chain.push_back(at);
    chain_bytes += entries_[at].size();
    largest = std::max(largest, entries_[at].size());
  }
  if (chain.size() > 1 && !cache_->CanKeep(chain_bytes, largest)) {
    return ReadStacked(chain, found, content);
  }
  // If a content was found, it may be a landmark, and the other landmarks are
  // still needed.
  const uint64_t distance = found ? 0 : cache_->LandmarkDistance(chain_bytes);
  ByteView base = found.content();
  if (chain.empty()) {
    content.assign(base.begin(), base.end());
    return {};
  }
  // `content` and `other` alternate; the last result is in `content`.
  static PerThread<Bytes> others;
  Bytes& other = others.Get();
  const BufferGuard guard(other);
  while (!chain.empty()) {
    Bytes& next = chain.size() % 2 == 0 ? other : content;
    ZPACK_TRY(Expand(chain.back(), base, kMaxSize, next));
    found.Release();
    KeepBase(chain.back(), next);
    if (distance != 0 && chain.size() % distance == 0) {
      cache_->InsertLandmark(number_, chain.back(), next);
    }
    base = next;
    chain.pop_back();
  }
  return {};
}

unsigned ThreadsToRead(const PackReader& pack, const RunOptions& run) {
  uint64_t largest = 0;
  for (const PackRank rank : pack.ids().ranks()) {
    if (!pack.IsWhole(rank)) largest = std::max(largest, pack.Info(rank).size);
  }
  // A delta, its base and the result are in memory at the same time.
  return FittingThreads(run, 0, 3 * largest + BaseCache::kLeastPerThread);
}

}  // namespace zpack
