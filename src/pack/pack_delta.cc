// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_delta.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

// Length of a copy without a length field.
constexpr uint32_t kDefaultCopy = 0x10000;
constexpr uint8_t kCopy = 0x80;
constexpr size_t kMaxLiterals = 127;
// Bits of a copy that tell which bytes of offset and length are present.
constexpr uint8_t kOffsetBytes = 0x0f;
constexpr uint8_t kLengthBytes = 0x70;
constexpr unsigned kFirstLengthBit = 4;
// Sizes of results that are believed without looking at the instructions.
constexpr uint64_t kMaxTrusted = uint64_t{512} << 20;
// What a stack of deltas may take: a fraction of the content, or this.
constexpr uint64_t kContentPerStacked = 8;
constexpr uint64_t kLeastStacked = uint64_t{1} << 20;

std::unexpected<Error> Bad() {
  return MakeError(ErrorCode::kCorrupt, "bad delta");
}

// Seven bits per byte, least significant first.
bool ReadSize(ByteReader& in, uint64_t& size) {
  size = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = in.U8();
    if (!in.ok() || (shift == 63 && (byte & 0x7e) != 0)) return false;
    size |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

// Reads the bytes that `present` selects, least significant first.
uint32_t ReadSparse(ByteReader& in, unsigned present) {
  uint32_t value = 0;
  for (; present != 0; present &= present - 1) {
    value |= uint32_t{in.U8()} << (8 * std::countr_zero(present));
  }
  return value;
}

void AppendLiterals(ByteView literals, Bytes& out) {
  while (!literals.empty()) {
    const size_t size = std::min(literals.size(), kMaxLiterals);
    out.push_back(static_cast<uint8_t>(size));
    Append(out, literals.first(size));
    literals = literals.subspan(size);
  }
}

// Appends the bytes of `value` that are not zero. Returns the bits that select
// them.
unsigned AppendSparse(uint32_t value, Bytes& out) {
  unsigned present = 0;
  for (unsigned i = 0; value != 0; ++i, value >>= 8) {
    if ((value & 0xff) == 0) continue;
    present |= 1U << i;
    out.push_back(static_cast<uint8_t>(value));
  }
  return present;
}

// Splits copies at 64 KiB, as Git does.
void AppendCopies(uint32_t offset, uint32_t length, Bytes& out) {
  while (length != 0) {
    const uint32_t size = std::min(length, kDefaultCopy);
    const size_t op = out.size();
    out.push_back(0);
    unsigned present = AppendSparse(offset, out);
    if (size != kDefaultCopy) {
      present |= AppendSparse(size, out) << kFirstLengthBit;
    }
    out[op] = static_cast<uint8_t>(kCopy | present);
    offset += size;
    length -= size;
  }
}

// Reads the instructions in the rest of `in`, and calls `copy` with the offset
// and the length of each copy, and `insert` with literals, as long as they
// return true. False if one returned false, or if `in` is malformed or does not
// fit a base of `base_size` bytes.
template <typename Copy, typename Insert>
bool ForEachInstruction(uint64_t base_size, ByteReader in, Copy copy,
                        Insert insert) {
  while (in.remaining() != 0) {
    const uint8_t op = in.U8();
    if ((op & kCopy) != 0) {
      const uint32_t offset = ReadSparse(in, op & kOffsetBytes);
      uint32_t length = ReadSparse(in, (op & kLengthBytes) >> kFirstLengthBit);
      if (length == 0) length = kDefaultCopy;
      if (offset > base_size || length > base_size - offset) return false;
      if (!in.ok() || !copy(offset, length)) return false;
    } else {
      // The instruction 0 is reserved.
      if (op == 0) return false;
      const ByteView literals = in.Raw(op);
      if (!in.ok() || !insert(literals)) return false;
    }
  }
  return true;
}

// The same for the pieces of the result.
template <typename Take>
bool ForEachPiece(ByteView base, ByteReader in, Take take) {
  return ForEachInstruction(
      base.size(), in,
      [&](uint32_t offset, uint32_t length) {
        return take(base.subspan(offset, length));
      },
      take);
}

// Sum of the sizes of all pieces.
uint64_t ResultSize(ByteView base, ByteView instructions) {
  uint64_t size = 0;
  ForEachPiece(base, ByteReader(instructions), [&](ByteView piece) {
    size += piece.size();
    return true;
  });
  return size;
}

}  // namespace

DeltaPlannerOptions PackPlannerOptions(const DeltaCosts& costs,
                                       uint32_t max_depth) {
  DeltaPlannerOptions options;
  options.chain_size = std::numeric_limits<uint64_t>::max() / 2;
  options.chain_factor = 0;
  options.max_depth = max_depth;
  options.costs = costs;
  return options;
}

Result<PackDeltaHeader> DecodePackDeltaHeader(ByteView delta) {
  ByteReader in(delta);
  PackDeltaHeader header;
  if (!ReadSize(in, header.base_size) || !ReadSize(in, header.result_size)) {
    return Bad();
  }
  header.size = delta.size() - in.remaining();
  return header;
}

Status ApplyPackDelta(ByteView base, ByteView delta, uint64_t max_size,
                      Bytes& out) {
  ZPACK_ASSIGN_OR_RETURN(const PackDeltaHeader header,
                         DecodePackDeltaHeader(delta));
  if (header.base_size != base.size()) return Bad();
  if (header.result_size > max_size) {
    return MakeError(ErrorCode::kLimitExceeded, "delta of {} bytes",
                     header.result_size);
  }
  // Such memory is not allocated for a false size.
  if (header.result_size > kMaxTrusted &&
      ResultSize(base, delta.subspan(header.size)) != header.result_size) {
    return Bad();
  }
  out.resize(header.result_size);
  uint8_t* to = out.data();
  size_t room = out.size();
  const bool fits = ForEachPiece(base, ByteReader(delta.subspan(header.size)),
                                 [&](ByteView piece) {
                                   if (piece.size() > room) return false;
                                   std::memcpy(to, piece.data(), piece.size());
                                   to += piece.size();
                                   room -= piece.size();
                                   return true;
                                 });
  if (!fits || room != 0) return Bad();
  return {};
}

void PackDeltaStack::SetBase(ByteView base) {
  pieces_.clear();
  deltas_.clear();
  delta_bytes_ = 0;
  AppendPiece(base.data(), base.size(), pieces_);
}

void PackDeltaStack::AppendPiece(const uint8_t* data, uint64_t size,
                                 std::vector<Piece>& pieces) {
  if (size == 0) return;
  if (pieces.empty()) {
    pieces.push_back({size, data});
    return;
  }
  Piece& last = pieces.back();
  const uint64_t begin = pieces.size() == 1 ? 0 : pieces[pieces.size() - 2].end;
  if (last.data + (last.end - begin) == data) {
    last.end += size;
  } else {
    pieces.push_back({last.end + size, data});
  }
}

void PackDeltaStack::AppendPieces(uint64_t offset, uint64_t size,
                                  std::vector<Piece>& pieces) const {
  auto piece = std::ranges::upper_bound(pieces_, offset, {}, &Piece::end);
  while (size > 0) {
    const uint64_t begin = piece == pieces_.begin() ? 0 : std::prev(piece)->end;
    const uint64_t part = std::min(size, piece->end - offset);
    AppendPiece(piece->data + (offset - begin), part, pieces);
    offset += part;
    size -= part;
    ++piece;
  }
}

bool PackDeltaStack::Stack(ByteView delta, const PackDeltaHeader& header) {
  const uint64_t most =
      std::max(kLeastStacked, header.result_size / kContentPerStacked);
  if (delta_bytes_ + delta.size() > most) return false;
  const uint64_t most_pieces =
      (most - delta_bytes_ - delta.size()) / sizeof(Piece);
  std::vector<Piece> pieces;
  const auto fits = [&] {
    return pieces.size() <= most_pieces &&
           (pieces.empty() || pieces.back().end <= header.result_size);
  };
  const bool stacked = ForEachInstruction(
      size(), ByteReader(delta.subspan(header.size)),
      [&](uint32_t offset, uint32_t length) {
        AppendPieces(offset, length, pieces);
        return fits();
      },
      [&](ByteView literals) {
        AppendPiece(literals.data(), literals.size(), pieces);
        return fits();
      });
  const uint64_t made = pieces.empty() ? 0 : pieces.back().end;
  if (!stacked || made != header.result_size) return false;
  pieces_ = std::move(pieces);
  return true;
}

void PackDeltaStack::MakeWhole() {
  if (pieces_.size() <= 1) return;
  Bytes whole;
  CopyTo(whole);
  made_ = std::move(whole);
  SetBase(made_);
}

Status PackDeltaStack::Apply(Bytes delta, uint64_t max_size) {
  ZPACK_ASSIGN_OR_RETURN(const PackDeltaHeader header,
                         DecodePackDeltaHeader(delta));
  const bool fits =
      header.base_size == size() && header.result_size <= max_size;
  bool is_stacked = fits && Stack(delta, header);
  if (!is_stacked) {
    MakeWhole();
    is_stacked = fits && Stack(delta, header);
  }
  if (is_stacked) {
    delta_bytes_ += delta.size();
    deltas_.push_back(std::move(delta));
    return {};
  }
  const ByteView base =
      pieces_.empty() ? ByteView() : ByteView(pieces_.front().data, size());
  Bytes result;
  ZPACK_TRY(ApplyPackDelta(base, delta, max_size, result));
  made_ = std::move(result);
  SetBase(made_);
  return {};
}

void PackDeltaStack::CopyTo(Bytes& out) const {
  out.resize(size());
  uint64_t begin = 0;
  for (const Piece& piece : pieces_) {
    std::memcpy(&out[begin], piece.data, piece.end - begin);
    begin = piece.end;
  }
}

bool PackDeltaGives(ByteView base, ByteView delta, ByteView target) {
  const auto header = DecodePackDeltaHeader(delta);
  if (!header || header->base_size != base.size() ||
      header->result_size != target.size()) {
    return false;
  }
  ByteView rest = target;
  const bool same = ForEachPiece(
      base, ByteReader(delta.subspan(header->size)), [&](ByteView piece) {
        if (piece.size() > rest.size() ||
            std::memcmp(piece.data(), rest.data(), piece.size()) != 0) {
          return false;
        }
        rest = rest.subspan(piece.size());
        return true;
      });
  return same && rest.empty();
}

void EncodePackDelta(uint64_t base_size, ByteView target, const Delta& delta,
                     Bytes& out) {
  ByteWriter to(out);
  to.Varint(base_size);
  to.Varint(target.size());
  for (const DeltaCopy& copy : delta.copies) {
    AppendLiterals(target.first(copy.literals), out);
    AppendCopies(copy.offset, copy.length, out);
    target = target.subspan(size_t{copy.literals} + copy.length);
  }
  AppendLiterals(target, out);
}

}  // namespace zpack
