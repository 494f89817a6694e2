// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/codecs/experimental_pack.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "codec/inflate.h"
#include "pack/pack_delta.h"

namespace zpack::bench {
namespace {

constexpr std::string_view kFileMagic = "BENCHPK1";
// core.deltaBaseCacheLimit.
constexpr uint64_t kBaseCacheSize = uint64_t{96} << 20;
// Header and trailer of a stock pack.
constexpr uint64_t kPackFraming = 12 + 20;
constexpr uint64_t kMaxObject = uint64_t{1} << 30;

// Takes one entry of a pack as it is stored.
Status CopyEntry(const PackReader& pack, PackRank rank, uint64_t& raw_size,
                 Bytes& stream) {
  stream.clear();
  return pack.Copy(rank, {.begin =
                              [&](uint64_t size) {
                                raw_size = size;
                                return Status{};
                              },
                          .append =
                              [&](ByteView piece) {
                                Append(stream, piece);
                                return Status{};
                              }});
}

// Writes entries one after the other to a file of an ExperimentalPack.
class EntryWriterToMemory {
 public:
  explicit EntryWriterToMemory(const PackReader& pack) : pack_(pack) {
    out_.reserve(size_t{1} << 20);
    Append(out_, AsBytes(kFileMagic));
  }

  void Add(PackRank rank, uint64_t raw_size, ByteView stored) {
    const auto position = static_cast<uint32_t>(positions_.size());
    positions_[rank.value()] = position;
    const auto base = pack_.Base(rank);
    ByteWriter writer(out_);
    writer.Raw(pack_.ids()[rank].bytes());
    writer.Varint(base ? position - positions_.at(base->value()) : 0);
    writer.Varint(raw_size);
    writer.LengthPrefixed(stored);
  }
  ByteView bytes() const { return out_; }

 private:
  const PackReader& pack_;
  std::unordered_map<uint32_t, uint32_t> positions_;  // by rank
  Bytes out_;
};

}  // namespace

Status ForEachEntry(const PackReader& pack, const EntryVisitor& visit) {
  BlockDecompressor inflater;
  Bytes stream;
  Bytes raw;
  for (const PackRank rank : pack.DeltaOrder()) {
    uint64_t raw_size = 0;
    ZPACK_TRY(CopyEntry(pack, rank, raw_size, stream));
    raw.resize(raw_size);
    // A stream of no bytes has no content that could be compared.
    if (raw_size > 0) ZPACK_TRY(inflater.Decompress(stream, raw));
    ZPACK_TRY(visit(rank, raw));
  }
  return {};
}

Result<Recompressed> WriteExperimentalPack(const PackReader& pack,
                                           const CodecSpec* codec,
                                           const std::string& path) {
  EntryWriterToMemory entries(pack);
  Recompressed sum;
  sum.bytes = kPackFraming;
  BlockCompressor compressor(codec == nullptr ? CodecSpec{} : *codec);
  Bytes stock;
  Bytes stored;
  const auto recompress = [&](PackRank rank, ByteView raw) -> Status {
    uint64_t raw_size = 0;
    ZPACK_TRY(CopyEntry(pack, rank, raw_size, stock));
    if (codec == nullptr) {
      stored = raw_size > 0 ? stock : Bytes{};
    } else {
      stored.clear();
      const StopWatch watch;
      ZPACK_TRY(compressor.Compress(raw, stored));
      sum.wall += watch.Wall();
      sum.cpu += watch.ThreadCpu();
    }
    sum.bytes += pack.StoredSize(rank);
    if (codec != nullptr) sum.bytes += stored.size() - stock.size();
    sum.raw_bytes += raw_size;
    ++sum.entries;
    entries.Add(rank, raw_size, stored);
    return {};
  };
  ZPACK_TRY(ForEachEntry(pack, recompress));
  ZPACK_ASSIGN_OR_RETURN(const auto file, PosixFileSystem().Create(path));
  ZPACK_TRY(file->Append(entries.bytes()));
  return sum;
}

ExperimentalPack::ExperimentalPack(Bytes file)
    : file_(std::move(file)), bases_(kBaseCacheSize) {}

Result<ExperimentalPack> ExperimentalPack::Open(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(Bytes file, ReadWholeFile(path));
  ExperimentalPack pack(std::move(file));
  const auto malformed = [&] {
    return MakeError(ErrorCode::kCorrupt, "'{}' is not a pack of this program",
                     path);
  };
  if (!StartsWith(pack.file_, AsBytes(kFileMagic))) return malformed();
  ByteReader in(ByteView(pack.file_).subspan(kFileMagic.size()));
  while (in.remaining() > 0) {
    const auto position = static_cast<uint32_t>(pack.entries_.size());
    const ByteView id = in.Raw(20);
    const uint64_t distance = in.Varint();
    Entry entry;
    const uint64_t raw_size = in.Varint();
    entry.stored = in.LengthPrefixed();
    if (!in.ok() || distance > position || raw_size > kMaxObject) {
      return malformed();
    }
    entry.raw_size = static_cast<uint32_t>(raw_size);
    entry.base = position - static_cast<uint32_t>(distance);
    if (distance > 0) pack.entries_[entry.base].is_base = true;
    pack.entries_.push_back(entry);
    pack.positions_.emplace(ObjectId(id), position);
  }
  return pack;
}

Result<uint32_t> ExperimentalPack::Find(const ObjectId& id) const {
  const auto found = positions_.find(id);
  if (found != positions_.end()) return found->second;
  return MakeError(ErrorCode::kNotFound, "object {} is not in the pack", id);
}

Status ExperimentalPack::Unpack(const Entry& entry, Bytes& raw) {
  raw.resize(entry.raw_size);
  return decompressor_.Decompress(entry.stored, raw);
}

Status ExperimentalPack::Read(uint32_t position, Bytes& content) {
  // The chain, from the object to the first base that is known or whole.
  std::vector<uint32_t> chain;
  std::shared_ptr<const Bytes> base;
  for (uint32_t at = position;; at = entries_[at].base) {
    if (entries_[at].is_base && (base = bases_.Find(at))) break;
    chain.push_back(at);
    if (entries_[at].base == at) break;
  }
  if (chain.empty()) {
    content = *base;
    return {};
  }
  Bytes delta;
  for (; !chain.empty(); chain.pop_back()) {
    const Entry& entry = entries_[chain.back()];
    if (!base) {
      ZPACK_TRY(Unpack(entry, content));
    } else {
      ZPACK_TRY(Unpack(entry, delta));
      ZPACK_TRY(ApplyPackDelta(*base, delta, kMaxObject, content));
    }
    if (!entry.is_base) continue;  // the last of the chain
    base = std::make_shared<const Bytes>(content);
    bases_.Insert(chain.back(), base, base->size());
  }
  return {};
}

}  // namespace zpack::bench
