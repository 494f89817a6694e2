// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies entries of a pack in their stored form.

#include <algorithm>

#include "base/error.h"
#include "codec/deflate.h"
#include "codec/file_inflater.h"
#include "pack/pack_format.h"
#include "pack/pack_reader.h"

namespace zpack {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 20;

}  // namespace

Status PackReader::ReadPieces(PackPosition position, uint64_t from,
                              const Visitor<ByteView>& piece) const {
  const uint64_t size = EntrySize(position);
  Bytes buffer;
  while (from < size) {
    buffer.resize(std::min(kPiece, size - from));
    ZPACK_TRY(file_->Read(entries_[position].offset() + from, buffer));
    ZPACK_VISIT(piece(buffer), {});
    from += buffer.size();
  }
  return {};
}

Status PackReader::CheckEntry(PackPosition position,
                              const EntryHeader& header) const {
  const auto bad = [&] {
    return MakeError(ErrorCode::kCorrupt, "bad entry at offset {} of '{}'",
                     AtOffset{entries_[position].offset()},
                     AtPath{file_->path()});
  };
  if (!checksums_.empty()) {
    uint32_t crc = 0;
    ZPACK_TRY(ReadPieces(position, 0, [&](ByteView piece) -> Status {
      crc = Crc32(crc, piece);
      return {};
    }));
    return crc == checksums_[position] ? Status{} : bad();
  }
  // An old index has no checksums, but the zlib stream has a checksum of its
  // content.
  const uint64_t offset = entries_[position].offset();
  FileInflater inflater(*file_, offset + header.length,
                        offset + EntrySize(position));
  Bytes out;
  for (uint64_t left = header.size; left != 0; left -= out.size()) {
    out.resize(std::min(left, kPiece));
    ZPACK_ASSIGN_OR_RETURN(const size_t filled, inflater.Inflate(out));
    if (filled != out.size()) return bad();
  }
  out.resize(1);
  ZPACK_ASSIGN_OR_RETURN(const size_t extra, inflater.Inflate(out));
  return extra == 0 && inflater.used_up() ? Status{} : bad();
}

Result<PackReader::EntryHeader> PackReader::ReadHeader(
    PackPosition position) const {
  Bytes start(std::min(kMaxPackEntryHeader, EntrySize(position)));
  ZPACK_TRY(file_->Read(entries_[position].offset(), start));
  return ParseHeader(position, start);
}

Status PackReader::CheckAt(PackPosition position) const {
  ZPACK_ASSIGN_OR_RETURN(const EntryHeader header, ReadHeader(position));
  return CheckEntry(position, header);
}

bool PackReader::IsSoundAt(PackPosition position) {
  // Walks up to the first entry with a known result, and then back.
  std::vector<PackPosition> chain;
  auto found = Soundness::kSound;
  for (PackPosition at = position; at != kNoBase; at = entries_[at].base) {
    const Soundness known = soundness_[at];
    if (known != Soundness::kUnknown) {
      found = known;
      break;
    }
    chain.push_back(at);
  }
  for (; !chain.empty(); chain.pop_back()) {
    if (found == Soundness::kSound && !CheckAt(chain.back())) {
      found = Soundness::kDamaged;
    }
    soundness_[chain.back()] = found;
  }
  return found == Soundness::kSound;
}

Status PackReader::Copy(PackRank rank, const PackedSink& sink) const {
  const PackPosition position = positions_[rank];
  ZPACK_ASSIGN_OR_RETURN(const EntryHeader header, ReadHeader(position));
  ZPACK_TRY(CheckEntry(position, header));
  ZPACK_TRY(sink.begin(header.size));
  return ReadPieces(position, header.length, sink.append);
}

}  // namespace zpack
