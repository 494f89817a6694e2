// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of an answer that carries the pack: on bands of a sideband, or as it
// is (gitprotocol-pack(5), "Packfile Data"). Thread-compatible.

#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "serve/pkt_line.h"
#include "zpack/result.h"

namespace zpack {

class PackReply {
 public:
  struct Options {
    size_t max_packet = kMaxPacket;  // 0: without a sideband
    bool show_progress = true;
    std::chrono::seconds keep_alive{0};  // 0: never
  };

  // `writer` must outlive this object.
  PackReply(PacketWriter& writer, const Options& options)
      : writer_(writer), options_(options) {}

  // A piece of the pack.
  Status Data(ByteView bytes);
  // A message for the user, which is left out if the client wants none.
  Status Progress(std::string_view text);
  // The same for a figure that changes often: shown once in a second.
  Status OftenProgress(std::string_view text);
  // Says that nothing else will follow, and why.
  Status Abort(std::string_view reason);
  // Says that the server is alive, if nothing was sent for some time.
  Status KeepAlive();
  // Ends the answer.
  Status End();

 private:
  using Clock = std::chrono::steady_clock;

  bool has_bands() const { return options_.max_packet != 0; }
  Status SendNow();

  PacketWriter& writer_;
  Options options_;
  Clock::time_point last_sent_ = Clock::now();
  Clock::time_point last_progress_ = Clock::now();
};

}  // namespace zpack
