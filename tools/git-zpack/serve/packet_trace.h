// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// GIT_TRACE_PACKET for a server: prints the packets of a conversation as
// git-upload-pack(1) prints them, without what travels in side bands.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "serve/trace_target.h"
#include "zpack/serve.h"

namespace zpack::cli {

// One direction of a conversation.
class PacketTrace {
 public:
  // `arrow` is '<' for packets of the client and '>' for those of the server.
  // `target` must outlive this object.
  PacketTrace(TraceTarget& target, char arrow)
      : target_(target), arrow_(arrow) {}

  // Takes the next bytes of the conversation, and prints the packets that they
  // complete.
  void Take(std::span<const uint8_t> bytes);

 private:
  void TakePacket();
  void Print(std::string_view text);

  TraceTarget& target_;
  char arrow_;
  std::string packet_;  // with its length, as far as it was seen
  bool is_pack_ = false;
  bool ended_ = false;  // what follows are not packets
};

class TracedInput : public ServeInput {
 public:
  // Both must outlive this object.
  TracedInput(ServeInput& input, TraceTarget& target)
      : input_(input), trace_(target, '<') {}

  Result<size_t> Read(std::span<uint8_t> out) override;

 private:
  ServeInput& input_;
  PacketTrace trace_;
};

class TracedOutput : public ServeOutput {
 public:
  // Both must outlive this object.
  TracedOutput(ServeOutput& output, TraceTarget& target)
      : output_(output), trace_(target, '>') {}

  Status Write(std::span<const uint8_t> bytes) override;

 private:
  ServeOutput& output_;
  PacketTrace trace_;
};

}  // namespace zpack::cli
