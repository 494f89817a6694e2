// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/chunk_scan.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/progress_phase.h"
#include "format/constants.h"
#include "format/trailer.h"

namespace zpack {
namespace {

constexpr uint64_t kWindow = uint64_t{1} << 20;
// Limit for the bytes of wrong candidates: a multiple of the size of the file,
// plus enough for small files.
constexpr uint64_t kWasteFactor = 8;
constexpr uint64_t kFreeWaste = uint64_t{64} << 20;
// Maximum number of damaged chunks of file contents that are remembered.
constexpr size_t kMaxDamagedData = 16;

constexpr size_t kBlockHeaderSize = 20;
constexpr size_t kStreamRowSize = 20;
// More streams than any kind of block has.
constexpr uint16_t kMaxStreams = 32;
constexpr size_t kMaxDirectory =
    kBlockHeaderSize + kMaxStreams * kStreamRowSize;

bool IsKnownChunk(uint32_t id) {
  return format::IsListedChunk(id) || format::IsUnlistedChunk(id);
}

// Reads the header and the directory of a block from the start of its payload,
// and sets `outside_ids`. Nothing unless the streams fill the payload exactly.
std::optional<format::BlockHeader> ReadDirectory(ByteView start,
                                                 uint64_t payload_size,
                                                 uint64_t& outside_ids) {
  ByteReader in(start);
  uint16_t streams = 0;
  const format::BlockHeader header = format::TakeBlockHeader(in, streams);
  uint64_t end = kBlockHeaderSize + uint64_t{streams} * kStreamRowSize;
  if (!in.ok() || streams > kMaxStreams || end > payload_size ||
      header.object_count == 0 ||
      header.object_count > UINT32_MAX - header.first_object.value()) {
    return std::nullopt;
  }
  outside_ids = 0;
  for (uint16_t i = 0; i < streams; ++i) {
    const auto kind = static_cast<format::StreamKind>(in.U8());
    in.U8();
    in.U16();
    const uint64_t raw_size = in.U64();
    const uint64_t stored_size = in.U64();
    if (!in.ok() || stored_size > payload_size - end) return std::nullopt;
    if (kind == format::StreamKind::kOutsideIds) outside_ids = raw_size;
    end += stored_size;
  }
  if (end != payload_size) return std::nullopt;
  return header;
}

class FileScan {
 public:
  FileScan(const RandomAccessFile& file, const ReadOptions& options,
           const RunOptions& run)
      : file_(file),
        options_(options),
        run_(run),
        phase_(run.progress, Phase::kReadingBlocks, 0, file.size()),
        waste_left_(kFreeWaste + file.size() * kWasteFactor) {}

  Result<FoundParts> Run() {
    const uint64_t size = file_.size();
    while (at_ < size) {
      if (size - at_ < format::kChunkOverhead) break;
      ZPACK_TRY(FillWindow());
      // Offsets of the window at which a whole chunk header can be seen.
      const uint64_t last =
          window_start_ + window_.size() - format::kChunkHeaderSize;
      while (at_ <= last) {
        const uint32_t word = LoadBigEndian<uint32_t>(Here());
        uint64_t taken = 0;
        if (at_ == copies_end_) {
          taken = format::kChecksumSize;
        } else if (word == format::kPackSignature) {
          ZPACK_ASSIGN_OR_RETURN(taken, TakeHeader());
        } else if (IsKnownChunk(word)) {
          ZPACK_ASSIGN_OR_RETURN(taken, TakeChunk());
        } else if (word == format::kTrailerSignature) {
          ZPACK_ASSIGN_OR_RETURN(taken, TakeTrailer());
        }
        if (taken == 0) {
          ++at_;
          continue;
        }
        Covered(at_, taken);
        at_ += taken;
      }
      if (stopped_) break;
    }
    Covered(size, 0);
    return std::move(found_);
  }

 private:
  const uint8_t* Here() const { return &window_[at_ - window_start_]; }

  // Loads the bytes from `at_` on.
  Status FillWindow() {
    ZPACK_TRY(CheckStop(run_.stop));
    window_start_ = at_;
    window_.resize(std::min(kWindow, file_.size() - at_));
    return file_.Read(at_, window_);
  }

  // Notes an undamaged part. Bytes between the last part and this one are
  // damaged.
  void Covered(uint64_t offset, uint64_t size) {
    if (offset > covered_) {
      found_.damaged.push_back({covered_, offset - covered_});
    }
    phase_.Advance(0, offset + size - covered_);
    covered_ = offset + size;
  }

  // The functions below return the size of the part at `at_`, or 0 if there is
  // no undamaged part.

  Result<uint64_t> TakeHeader() {
    const uint64_t rest = file_.size() - at_;
    if (rest < format::kFixedHeaderSize) return 0;
    Bytes start(format::kFixedHeaderSize);
    ZPACK_TRY(file_.Read(at_, start));
    const auto size = format::DecodeHeaderSize(start);
    if (!size || *size > rest || !Spend(*size)) return 0;
    Bytes bytes(*size);
    ZPACK_TRY(file_.Read(at_, bytes));
    auto header = format::DecodeFileHeader(bytes, format::KnownFeatures());
    if (!header) {
      if (header.error().code == ErrorCode::kUnsupported && at_ == 0) {
        return std::unexpected(std::move(header).error());
      }
      return 0;
    }
    // A file inside of a damaged block may have a header, too; a copy of the
    // file's own comes after the blocks.
    if (!found_.header_in_place) found_.header = *std::move(header);
    found_.header_in_place = found_.header_in_place || at_ == 0;
    return *size;
  }

  Result<uint64_t> TakeTrailer() {
    if (file_.size() - at_ != format::kTrailerSize) return 0;
    Bytes bytes(format::kTrailerSize);
    ZPACK_TRY(file_.Read(at_, bytes));
    auto trailer = format::DecodeTrailer(bytes);
    if (!trailer) return 0;
    found_.trailer = *trailer;
    return format::kTrailerSize;
  }

  Result<uint64_t> TakeChunk() {
    const auto header =
        format::DecodeChunkHeader({Here(), format::kChunkHeaderSize});
    const uint64_t rest = file_.size() - at_;
    if (!header) return 0;
    const bool is_data = header->id == format::kFileDataChunk;
    const format::ChunkLocation chunk{header->id, header->flags, at_,
                                      header->payload_size};
    const bool fits = rest >= format::kChunkOverhead &&
                      header->payload_size <= rest - format::kChunkOverhead;
    if (header->payload_size <= MaxPayload(header->id) &&
        header->payload_size <= UINT64_MAX - at_ - format::kChunkOverhead) {
      FoundBlock block{at_,
                       chunk.payload_size + format::kChunkOverhead,
                       {},
                       0,
                       chunk.end() <= claimed_end_};
      if (header->id == format::kBlockChunk) {
        ZPACK_ASSIGN_OR_RETURN(const bool plausible, ReadBlockHeader(block));
        if (!plausible) return 0;
        // Blocks follow each other, so this one is part of the file even if it
        // is damaged or cut off.
        if (at_ == std::max(covered_, claimed_end_)) {
          claimed_end_ = at_ + block.size;
        }
      }
      bool whole = false;
      if (fits) {
        ZPACK_ASSIGN_OR_RETURN(whole, CheckChecksum(block.size));
      }
      if (!whole && claimed_end_ == at_ + block.size) {
        found_.damaged_blocks.push_back({at_, block.size});
      }
      if (whole) {
        if (header->id == format::kBlockChunk) {
          found_.blocks.push_back(block);
        } else if (header->id == format::kCopiesChunk) {
          // The copies are chunks themselves.
          found_.chunks[header->id].push_back(chunk);
          copies_end_ = at_ + block.size - format::kChecksumSize;
          return format::kChunkHeaderSize;
        } else {
          found_.chunks[header->id].push_back(chunk);
        }
        return block.size;
      }
    }
    if (is_data && found_.damaged_data.size() < kMaxDamagedData) {
      found_.damaged_data.push_back(chunk);
    }
    return 0;
  }

  uint64_t MaxPayload(uint32_t id) const {
    if (id == format::kFileDataChunk || id == format::kParityChunk) {
      return UINT64_MAX;
    }
    return id == format::kBlockChunk ? options_.max_block_size
                                     : options_.max_chunk_size;
  }

  Result<bool> ReadBlockHeader(FoundBlock& block) {
    const uint64_t payload_size = block.size - format::kChunkOverhead;
    Bytes start(
        std::min<uint64_t>({payload_size, kMaxDirectory,
                            file_.size() - at_ - format::kChunkHeaderSize}));
    ZPACK_TRY(file_.Read(at_ + format::kChunkHeaderSize, start));
    const auto header = ReadDirectory(start, payload_size, block.outside_ids);
    if (header) block.header = *header;
    return header.has_value();
  }

  // True if the chunk of `size` bytes at `at_` has the right checksum.
  Result<bool> CheckChecksum(uint64_t size) {
    if (!Spend(size)) return false;
    const uint64_t end = at_ + size - format::kChecksumSize;
    ChecksumHasher hasher;
    for (uint64_t at = at_; at < end; at += piece_.size()) {
      ZPACK_TRY(CheckStop(run_.stop));
      piece_.resize(std::min(kWindow, end - at));
      ZPACK_TRY(file_.Read(at, piece_));
      hasher.Update(piece_);
    }
    piece_.resize(format::kChecksumSize);
    ZPACK_TRY(file_.Read(end, piece_));
    const bool right = LoadBigEndian<uint64_t>(piece_.data()) == hasher.Value();
    // Undamaged parts do not overlap, so they need no limit.
    if (right) waste_left_ += size;
    return right;
  }

  // Takes the bytes of a candidate from those that may be hashed. False if too
  // few are left.
  bool Spend(uint64_t size) {
    if (size <= waste_left_) {
      waste_left_ -= size;
      return true;
    }
    // What is left of the file is not looked at.
    stopped_ = true;
    at_ = file_.size();
    return false;
  }

  const RandomAccessFile& file_;
  const ReadOptions& options_;
  const RunOptions& run_;
  ProgressPhase phase_;
  uint64_t waste_left_;
  bool stopped_ = false;
  uint64_t at_ = 0;
  uint64_t covered_ = 0;  // end of the last undamaged part
  // End of the last block that follows an undamaged part or such a block.
  uint64_t claimed_end_ = 0;
  // Where the checksum of the chunk of copies is.
  uint64_t copies_end_ = UINT64_MAX;
  uint64_t window_start_ = 0;
  Bytes window_;
  Bytes piece_;
  FoundParts found_;
};

}  // namespace

Result<FoundParts> ScanFile(const RandomAccessFile& file,
                            const ReadOptions& options, const RunOptions& run) {
  return FileScan(file, options, run).Run();
}

}  // namespace zpack
