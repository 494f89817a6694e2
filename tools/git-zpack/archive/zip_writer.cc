// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "archive/zip_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <new>
#include <ostream>
#include <string_view>
#include <utility>

#include "zpack/quote.h"

namespace zpack::cli {
namespace {

// Larger files are compressed while they are read.
constexpr uint64_t kMaxHeld = uint64_t{64} << 20;
constexpr uint64_t kMax32 = std::numeric_limits<uint32_t>::max();
// Sizes from here on may not fit into 32 bits after they were compressed.
constexpr uint64_t kLargeSize = 0xff000000;
constexpr uint64_t kMax16 = std::numeric_limits<uint16_t>::max();
constexpr size_t kZipBufferSize = size_t{1} << 16;
// How much of a file is searched for a NUL, which makes it binary.
constexpr size_t kMaxSearched = 8000;

constexpr uint16_t kZipVersion = 10;
constexpr uint16_t kZip64Version = 45;
constexpr uint16_t kMadeByUnix = 3 << 8 | 23;
constexpr uint16_t kSizesFollow = 1 << 3;
constexpr uint16_t kUtf8 = 1 << 11;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint32_t kDirectoryAttribute = 1 << 4;

// Little-endian numbers, one after the other.
class LittleEndian {
 public:
  LittleEndian& U16(uint64_t value) { return Append(value, 2); }
  LittleEndian& U32(uint64_t value) { return Append(value, 4); }
  LittleEndian& U64(uint64_t value) { return Append(value, 8); }
  LittleEndian& Text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  LittleEndian& Append(uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    }
    return *this;
  }

  std::string bytes_;
};

// The date and time of MS-DOS, which has no years before 1980 and after 2107.
// Earlier and later times become the first and the last one.
uint32_t DosTime(uint64_t time) {
  constexpr int kLastYear = 127;
  constexpr uint32_t kFirst = 1U << 21 | 1U << 16;
  constexpr uint32_t kLast = uint32_t{kLastYear} << 25 | 12U << 21 | 31U << 16 |
                             23U << 11 | 59U << 5 | 29U;
  constexpr uint64_t kAfterAll = uint64_t{1} << 33;
  const auto seconds = static_cast<time_t>(std::min(time, kAfterAll));
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return kFirst;
  const int year = local.tm_year - 80;
  if (year < 0) return kFirst;
  if (year > kLastYear) return kLast;
  return static_cast<uint32_t>(year << 25 | (local.tm_mon + 1) << 21 |
                               local.tm_mday << 16 | local.tm_hour << 11 |
                               local.tm_min << 5 | local.tm_sec / 2);
}

// The extra field with the time of Unix.
std::string TimeField(uint32_t time) {
  return LittleEndian().Text("UT").U16(5).Text("\x01").U32(time).bytes();
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool IsBinary(std::span<const uint8_t> content) {
  const auto head = content.first(std::min(content.size(), kMaxSearched));
  return std::ranges::find(head, 0) != head.end();
}

bool IsDirectory(uint32_t mode) { return mode == 0040000 || mode == 0160000; }
bool IsLink(uint32_t mode) { return mode == 0120000; }

// The system whose modes an entry has.
uint16_t MadeBy(uint32_t mode) {
  return IsLink(mode) || mode == 0100755 ? kMadeByUnix : 0;
}

}  // namespace

ZipWriter::ZipWriter(uint64_t time, NamedOutput out)
    : out_(std::move(out)),
      time_(static_cast<uint32_t>(std::min(time, kMax32))),
      dos_time_(DosTime(time)),
      deflate_(std::make_unique<z_stream>()) {
  // Without a header of zlib.
  constexpr int kWindow = -15;
  constexpr int kDeflateMemory = 8;
  if (deflateInit2(deflate_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindow,
                   kDeflateMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

ZipWriter::~ZipWriter() {
  if (deflate_ != nullptr) deflateEnd(deflate_.get());
}

void ZipWriter::Begin(const ObjectId& commit) {
  if (!commit.empty()) comment_ = commit.ToHex();
}

bool ZipWriter::streams() const { return rows_.back().size > kMaxHeld; }

void ZipWriter::Add(const TarEntry& entry) {
  const bool is_link = IsLink(entry.mode);
  if (entry.path.size() > kMax16 && status_) {
    status_ = std::unexpected(
        Error{ErrorCode::kLimitExceeded,
              fmt::format("path '{}' is too long for a ZIP file",
                          QuoteName(entry.path, kMaxNameInMessage))});
  }
  Row row{.path = entry.path, .mode = entry.mode};
  row.offset = written_;
  if (!IsAscii(row.path) && IsUtf8(row.path)) row.flags |= kUtf8;
  row.size = is_link ? entry.target.size() : entry.size;
  rows_.push_back(std::move(row));
  left_ = rows_.back().size;
  held_.clear();
  rows_.back().crc = static_cast<uint32_t>(crc32(0, nullptr, 0));
  if (is_link) {
    const std::string& target = entry.target;
    left_ = 0;
    (void)WriteHeld(
        {reinterpret_cast<const uint8_t*>(target.data()), target.size()});
  } else if (IsDirectory(entry.mode)) {
    WriteHeader();
  } else if (streams()) {
    rows_.back().flags |= kSizesFollow;
    rows_.back().method = kDeflated;
    rows_.back().text = 1;
    WriteHeader();
  }
}

Status ZipWriter::Write(std::span<const uint8_t> piece) {
  if (piece.size() > left_) {
    return std::unexpected(
        Error{ErrorCode::kCorrupt, "a file has more content than its size"});
  }
  left_ -= piece.size();
  if (!streams()) {
    held_.insert(held_.end(), piece.begin(), piece.end());
    return {};
  }
  Row& row = rows_.back();
  const bool is_start = row.stored == 0 && left_ + piece.size() == row.size;
  if (is_start && IsBinary(piece)) row.text = 0;
  row.crc = static_cast<uint32_t>(crc32_z(row.crc, piece.data(), piece.size()));
  if (!Deflate(piece, Z_NO_FLUSH)) {
    return std::unexpected(out_.Failure());
  }
  return {};
}

Status ZipWriter::EndFile() {
  if (left_ != 0) {
    return std::unexpected(
        Error{ErrorCode::kCorrupt, "a file has less content than its size"});
  }
  if (!streams()) return WriteHeld(held_);
  if (!Deflate({}, Z_FINISH)) {
    return std::unexpected(out_.Failure());
  }
  deflateReset(deflate_.get());
  const Row& row = rows_.back();
  LittleEndian fields;
  fields.Text("PK\x07\x08").U32(row.crc);
  if (row.size >= kLargeSize) {
    fields.U64(row.stored).U64(row.size);
  } else {
    fields.U32(row.stored).U32(row.size);
  }
  WriteBytes(fields.bytes());
  return {};
}

Status ZipWriter::WriteHeld(std::span<const uint8_t> content) {
  Row& row = rows_.back();
  row.crc =
      static_cast<uint32_t>(crc32_z(row.crc, content.data(), content.size()));
  row.text = IsBinary(content) ? 0 : 1;
  const bool is_file = !IsLink(row.mode) && !content.empty();
  std::vector<uint8_t> smaller;
  if (is_file) {
    // As large as the content at most: then it is stored as it is.
    smaller.resize(content.size());
    // zlib does not write to its input.
    deflate_->next_in = const_cast<Bytef*>(content.data());
    deflate_->avail_in = static_cast<uInt>(content.size());
    deflate_->next_out = smaller.data();
    deflate_->avail_out = static_cast<uInt>(smaller.size());
    const int result = deflate(deflate_.get(), Z_FINISH);
    smaller.resize(result == Z_STREAM_END ? deflate_->total_out : 0);
    deflateReset(deflate_.get());
  }
  const bool compressed = !smaller.empty() && smaller.size() < content.size();
  row.method = compressed ? kDeflated : kStored;
  if (compressed) content = smaller;
  row.stored = content.size();
  WriteHeader();
  WriteBytes({reinterpret_cast<const char*>(content.data()), content.size()});
  return {};
}

bool ZipWriter::Deflate(std::span<const uint8_t> input, int flush) {
  std::array<char, kZipBufferSize> buffer;
  int result = Z_OK;
  do {
    // zlib takes 32-bit sizes.
    const size_t taken = std::min<size_t>(input.size(), size_t{1} << 30);
    const bool is_last = taken == input.size();
    deflate_->next_in = const_cast<Bytef*>(input.data());
    deflate_->avail_in = static_cast<uInt>(taken);
    do {
      deflate_->next_out = reinterpret_cast<Bytef*>(buffer.data());
      deflate_->avail_out = static_cast<uInt>(buffer.size());
      result = deflate(deflate_.get(), is_last ? flush : Z_NO_FLUSH);
      if (result == Z_STREAM_ERROR) return false;
      const size_t size = buffer.size() - deflate_->avail_out;
      rows_.back().stored += size;
      WriteBytes({buffer.data(), size});
    } while (deflate_->avail_out == 0);
    input = input.subspan(taken);
  } while (!input.empty());
  return static_cast<bool>(out_.stream) &&
         (flush != Z_FINISH || result == Z_STREAM_END);
}

void ZipWriter::WriteHeader() {
  const Row& row = rows_.back();
  const bool follow = (row.flags & kSizesFollow) != 0;
  const bool zip64 = row.size >= kLargeSize;
  std::string extra = TimeField(time_);
  if (zip64)
    extra += LittleEndian().U16(1).U16(16).U64(row.size).U64(0).bytes();
  LittleEndian fields;
  fields.Text("PK\x03\x04").U16(zip64 ? kZip64Version : kZipVersion);
  fields.U16(row.flags).U16(row.method).U32(dos_time_);
  fields.U32(follow ? 0 : row.crc);
  fields.U32(zip64 ? kMax32 : (follow ? 0 : row.stored));
  fields.U32(zip64 ? kMax32 : (follow ? 0 : row.size));
  fields.U16(row.path.size()).U16(extra.size()).Text(row.path).Text(extra);
  WriteBytes(fields.bytes());
}

void ZipWriter::WriteRow(const Row& row) {
  LittleEndian large;  // numbers that do not fit
  const bool large_size = row.size >= kMax32 || row.stored >= kMax32;
  const bool large_offset = row.offset >= kMax32;
  if (large_size) large.U64(row.size).U64(row.stored);
  if (large_offset) large.U64(row.offset);
  std::string extra = TimeField(time_);
  if (large_size || large_offset) {
    extra += LittleEndian().U16(1).U16(large.bytes().size()).bytes();
    extra += large.bytes();
  }
  uint32_t attributes = IsDirectory(row.mode) ? kDirectoryAttribute : 0;
  const uint16_t made_by = MadeBy(row.mode);
  if (made_by == kMadeByUnix) {
    attributes = (row.mode | (IsLink(row.mode) ? 0777U : 0U)) << 16;
  }
  LittleEndian fields;
  fields.Text("PK\x01\x02").U16(made_by);
  // Git does not say it of an offset.
  fields.U16(large_size ? kZip64Version : kZipVersion);
  fields.U16(row.flags).U16(row.method).U32(dos_time_).U32(row.crc);
  fields.U32(large_size ? kMax32 : row.stored);
  fields.U32(large_size ? kMax32 : row.size);
  fields.U16(row.path.size()).U16(extra.size()).U16(0).U16(0).U16(row.text);
  fields.U32(attributes).U32(large_offset ? kMax32 : row.offset);
  fields.Text(row.path).Text(extra);
  WriteBytes(fields.bytes());
}

void ZipWriter::WriteEnd() {
  const uint64_t begin = written_;
  for (const Row& row : rows_) WriteRow(row);
  const uint64_t size = written_ - begin;
  const uint64_t count = rows_.size();
  if (count > kMax16 || size > kMax32 || begin > kMax32) {
    const uint64_t end = written_;
    uint16_t made_by = 0;
    for (const Row& row : rows_) made_by = std::max(made_by, MadeBy(row.mode));
    WriteBytes(LittleEndian()
                   .Text("PK\x06\x06")
                   .U64(44)
                   .U16(made_by)
                   .U16(kZip64Version)
                   .U32(0)
                   .U32(0)
                   .U64(count)
                   .U64(count)
                   .U64(size)
                   .U64(begin)
                   .Text("PK\x06\x07")
                   .U32(0)
                   .U64(end)
                   .U32(1)
                   .bytes());
  }
  WriteBytes(LittleEndian()
                 .Text("PK\x05\x06")
                 .U32(0)
                 .U16(std::min(count, kMax16))
                 .U16(std::min(count, kMax16))
                 .U32(std::min(size, kMax32))
                 .U32(std::min(begin, kMax32))
                 .U16(comment_.size())
                 .Text(comment_)
                 .bytes());
}

Status ZipWriter::Finish() {
  if (!status_) return status_;
  WriteEnd();
  out_.stream.flush();
  if (!out_.stream) {
    return std::unexpected(out_.Failure());
  }
  return {};
}

void ZipWriter::WriteBytes(std::string_view bytes) {
  out_.stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  written_ += bytes.size();
}

}  // namespace zpack::cli
