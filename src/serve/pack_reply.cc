// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/pack_reply.h"

#include "base/error.h"

namespace zpack {
namespace {

constexpr uint8_t kPackBand = 1;
constexpr uint8_t kProgressBand = 2;
constexpr uint8_t kErrorBand = 3;
constexpr std::chrono::seconds kProgressInterval{1};

}  // namespace

Status PackReply::SendNow() {
  last_sent_ = Clock::now();
  return writer_.Send();
}

Status PackReply::Data(ByteView bytes) {
  last_sent_ = Clock::now();
  return has_bands() ? writer_.Band(kPackBand, bytes, options_.max_packet)
                     : writer_.Raw(bytes);
}

Status PackReply::Progress(std::string_view text) {
  if (!options_.show_progress || !has_bands()) return {};
  ZPACK_TRY(writer_.Band(kProgressBand, AsBytes(text), options_.max_packet));
  return SendNow();
}

Status PackReply::OftenProgress(std::string_view text) {
  const Clock::time_point now = Clock::now();
  if (now - last_progress_ < kProgressInterval) return KeepAlive();
  last_progress_ = now;
  return Progress(text);
}

Status PackReply::Abort(std::string_view reason) {
  if (!has_bands()) return {};
  ZPACK_TRY(writer_.Band(kErrorBand, AsBytes(reason), options_.max_packet));
  return SendNow();
}

// The empty packet of the pack's band, which clients ignore.
Status PackReply::KeepAlive() {
  if (!has_bands() || options_.keep_alive.count() == 0 ||
      Clock::now() - last_sent_ < options_.keep_alive) {
    return {};
  }
  ZPACK_TRY(writer_.Raw(AsBytes("0005\1")));
  return SendNow();
}

Status PackReply::End() {
  if (has_bands()) ZPACK_TRY(writer_.Flush());
  return SendNow();
}

}  // namespace zpack
