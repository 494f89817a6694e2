// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/packet_trace.h"

#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "packet_size.h"

namespace zpack::cli {
namespace {

// "12:34:56.123456", in local time.
std::string TimeOfDay() {
  timeval now{};
  gettimeofday(&now, nullptr);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  return fmt::format("{:02}:{:02}:{:02}.{:06}", local.tm_hour, local.tm_min,
                     local.tm_sec, now.tv_usec);
}

}  // namespace

void PacketTrace::Take(std::span<const uint8_t> bytes) {
  while (!bytes.empty() && !ended_) {
    const size_t size = packet_.size() < kPacketLengthSize
                            ? kPacketLengthSize
                            : PacketSize(packet_.substr(0, kPacketLengthSize));
    const size_t more = std::min(size - packet_.size(), bytes.size());
    packet_.append(reinterpret_cast<const char*>(bytes.data()), more);
    bytes = bytes.subspan(more);
    if (packet_.size() < kPacketLengthSize) return;
    const size_t whole = PacketSize(packet_.substr(0, kPacketLengthSize));
    ended_ = whole == 0;
    if (packet_.size() == whole) TakePacket();
  }
}

void PacketTrace::TakePacket() {
  const std::string packet = std::exchange(packet_, {});
  if (packet.size() == kPacketLengthSize) {
    is_pack_ = false;
    // '0004' is an empty line.
    Print(packet == "0004" ? "" : packet);
    return;
  }
  const std::string_view text =
      std::string_view(packet).substr(kPacketLengthSize);
  const char band = text.front();
  is_pack_ = is_pack_ || text.starts_with("\1PACK");
  const bool is_kept_alive = text == "\1";
  if (band == '\2' || band == '\3' || is_kept_alive ||
      (is_pack_ && band == '\1')) {
    return;
  }
  Print(text);
}

void PacketTrace::Print(std::string_view text) {
  std::string line =
      fmt::format("{} packet:  upload-pack{} ", TimeOfDay(), arrow_);
  for (const char c : text) {
    if (c == '\n') continue;
    if (c >= ' ' && c <= '~') {
      line += c;
    } else {
      line += fmt::format("\\{:o}", static_cast<unsigned char>(c));
    }
  }
  target_.Write(line + '\n');
}

Result<size_t> TracedInput::Read(std::span<uint8_t> out) {
  auto read = input_.Read(out);
  if (read) trace_.Take(out.first(*read));
  return read;
}

Status TracedOutput::Write(std::span<const uint8_t> bytes) {
  trace_.Take(bytes);
  return output_.Write(bytes);
}

}  // namespace zpack::cli
