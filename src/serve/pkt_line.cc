// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/pkt_line.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "base/error.h"

namespace zpack {
namespace {

constexpr size_t kLengthSize = 4;
// Git reads packets that are 3 bytes longer than those that it sends.
constexpr size_t kMaxReadPacket = kMaxPacket + 3;
constexpr size_t kReadSize = size_t{64} << 10;
constexpr size_t kSendSize = size_t{64} << 10;
constexpr std::string_view kClientError = "ERR ";

}  // namespace

std::unexpected<Error> HungUp() {
  return MakeError(ErrorCode::kInvalidArgument,
                   "the remote end hung up unexpectedly");
}

Result<bool> PacketReader::Fill(std::span<uint8_t> out) {
  size_t filled = 0;
  while (filled < out.size()) {
    if (begin_ == buffer_.size()) {
      buffer_.resize(kReadSize);
      begin_ = buffer_.size();  // nothing to use, if Read fails
      ZPACK_ASSIGN_OR_RETURN(const size_t read, input_.Read(buffer_));
      buffer_.resize(read);
      begin_ = 0;
      if (read == 0) return false;
    }
    const size_t size = std::min(out.size() - filled, buffer_.size() - begin_);
    std::copy_n(buffer_.begin() + static_cast<ptrdiff_t>(begin_), size,
                out.begin() + static_cast<ptrdiff_t>(filled));
    begin_ += size;
    filled += size;
  }
  return true;
}

Result<Packet> PacketReader::ReadNext() {
  std::array<uint8_t, kLengthSize> digits{};
  ZPACK_ASSIGN_OR_RETURN(const bool more, Fill(digits));
  if (!more) return Packet::kEnd;
  const std::string_view text = AsText(digits);
  size_t size = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), size, 16);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "protocol error: bad line length character: {}", text);
  }
  switch (size) {
    case 0:
      return Packet::kFlush;
    case 1:
      return Packet::kDelimiter;
    case 2:
      return Packet::kResponseEnd;
    default:
      break;
  }
  if (size < kLengthSize || size > kMaxReadPacket) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "protocol error: bad line length {}", size);
  }
  packet_.resize(size - kLengthSize);
  ZPACK_ASSIGN_OR_RETURN(const bool complete, Fill(packet_));
  if (!complete) return Packet::kEnd;
  line_ = AsText(packet_);
  if (line_.ends_with('\n')) line_.remove_suffix(1);
  line_ = line_.substr(0, line_.find('\0'));
  if (line_.starts_with(kClientError)) {
    return MakeError(ErrorCode::kInvalidArgument, "remote error: {}",
                     line_.substr(kClientError.size()));
  }
  return Packet::kLine;
}

Result<Packet> PacketReader::Peek() {
  if (!next_) {
    ZPACK_ASSIGN_OR_RETURN(next_, ReadNext());
  }
  return *next_;
}

Result<Packet> PacketReader::Read() {
  ZPACK_ASSIGN_OR_RETURN(const Packet packet, Peek());
  if (packet == Packet::kEnd) return HungUp();
  next_.reset();
  return packet;
}

void PacketWriter::AppendLength(size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  ZPACK_CHECK(size <= kMaxPacket);
  for (const unsigned shift : {12U, 8U, 4U, 0U}) {
    pending_.push_back(static_cast<uint8_t>(kDigits[(size >> shift) & 15U]));
  }
}

Status PacketWriter::Line(std::string_view text) {
  AppendLength(kLengthSize + prefix_.size() + text.size());
  Append(pending_, AsBytes(prefix_));
  Append(pending_, AsBytes(text));
  return SendIfLarge();
}

Status PacketWriter::Special(std::string_view packet) {
  Append(pending_, AsBytes(packet));
  return SendIfLarge();
}

Status PacketWriter::Band(uint8_t band, ByteView bytes, size_t max_packet) {
  const size_t max_size = max_packet - kLengthSize - 1;
  while (!bytes.empty()) {
    const ByteView piece = bytes.first(std::min(bytes.size(), max_size));
    AppendLength(kLengthSize + 1 + piece.size());
    pending_.push_back(band);
    Append(pending_, piece);
    bytes = bytes.subspan(piece.size());
    ZPACK_TRY(SendIfLarge());
  }
  return {};
}

Status PacketWriter::Raw(ByteView bytes) {
  Append(pending_, bytes);
  return SendIfLarge();
}

Status PacketWriter::SendIfLarge() {
  return pending_.size() < kSendSize ? Status{} : Send();
}

Status PacketWriter::Send() {
  if (pending_.empty()) return {};
  ZPACK_TRY(output_.Write(pending_));
  pending_.clear();
  return {};
}

}  // namespace zpack
