// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of Git's protocol (gitprotocol-common(5), "pkt-line Format").
// Thread-compatible.

#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "zpack/result.h"
#include "zpack/serve.h"

namespace zpack {

// Maximum bytes of a packet, with the four digits of its length.
inline constexpr size_t kMaxPacket = 65520;
// Maximum bytes of a packet for clients that know only 'side-band'.
inline constexpr size_t kMaxSmallPacket = 1000;

enum class Packet : uint8_t {
  kLine,
  kFlush,        // 0000
  kDelimiter,    // 0001
  kResponseEnd,  // 0002
  kEnd,          // the end of the input
};

// kInvalidArgument: the input ends where it must not.
std::unexpected<Error> HungUp();

class PacketReader {
 public:
  // `input` must outlive the reader.
  explicit PacketReader(ServeInput& input) : input_(input) {}

  // Reads the next packet, which is not kEnd. Returns kInvalidArgument if it is
  // malformed, if the input ends before or within it, or if it is the error
  // message of the client.
  Result<Packet> Read();
  // Returns the next packet without taking it, for where the client may end the
  // conversation: kEnd if the input ends before or, as in Git, within it.
  Result<Packet> Peek();

  // The text of the last packet, if that is a kLine, without the line feed at
  // its end, and as in Git up to a NUL byte. Valid until the next call.
  std::string_view line() const { return line_; }

 private:
  Result<Packet> ReadNext();
  // Fills `out` and returns true; false if the input ends before that.
  Result<bool> Fill(std::span<uint8_t> out);

  ServeInput& input_;
  Bytes buffer_;
  size_t begin_ = 0;  // of the bytes in `buffer_` that were not used yet
  Bytes packet_;
  std::string_view line_;
  std::optional<Packet> next_;  // after Peek
};

// Collects packets and sends them in large pieces.
class PacketWriter {
 public:
  // `output` must outlive the writer.
  explicit PacketWriter(ServeOutput& output) : output_(output) {}

  // From now on, lines go to band 1 (capability 'sideband-all').
  void UseSidebandForAll() { prefix_ = "\1"; }

  // REQUIRES for Line: `text` fits in a packet.
  Status Line(std::string_view text);
  Status Flush() { return Special("0000"); }
  Status Delimiter() { return Special("0001"); }

  // Sends `bytes` on a band, in packets of at most `max_packet` bytes.
  Status Band(uint8_t band, ByteView bytes, size_t max_packet);
  // Sends `bytes` as they are.
  Status Raw(ByteView bytes);

  // Sends everything that was collected.
  Status Send();

 private:
  Status Special(std::string_view packet);
  void AppendLength(size_t size);
  Status SendIfLarge();

  ServeOutput& output_;
  std::string_view prefix_;
  Bytes pending_;
};

}  // namespace zpack
