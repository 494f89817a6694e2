// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/acknowledgments_v0.h"

#include <fmt/format.h>

#include <string>

#include "base/bytes.h"
#include "base/error.h"

namespace zpack {

Result<bool> AcknowledgmentsV0::Exchange() {
  PacketReader& reader = context_.reader();
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const Packet packet, reader.Read());
    if (packet != Packet::kLine) {
      ZPACK_ASSIGN_OR_RETURN(const bool complete, EndRound());
      if (complete) return true;
      if (context_.options().exchange == Exchange::kRequest) return false;
      continue;
    }
    std::string_view line = reader.line();
    if (SkipPrefix("have ", line)) {
      ZPACK_TRY(TakeHave(line));
    } else if (line == "done") {
      ZPACK_TRY(EndAll());
      return true;
    } else {
      return MakeError(ErrorCode::kInvalidArgument,
                       "git upload-pack: expected SHA1 list, got '{}'", line);
    }
  }
}

Status AcknowledgmentsV0::TakeHave(std::string_view text) {
  const auto id = IdAt(text, context_.archive());
  if (!id) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "expected SHA1 object, got '{}'", text);
  }
  const std::string hex = id->ToHex();
  PacketWriter& writer = context_.writer();
  ZPACK_ASSIGN_OR_RETURN(const bool common, negotiation_.AddHave(*id));
  if (common) {
    got_common_ = true;
    last_common_ = hex;
    switch (wants_.multi_ack) {
      case MultiAck::kDetailed:
        return writer.Line(fmt::format("ACK {} common\n", hex));
      case MultiAck::kPlain:
        return writer.Line(fmt::format("ACK {} continue\n", hex));
      default:
        return negotiation_.haves().size() == 1
                   ? writer.Line(fmt::format("ACK {}\n", hex))
                   : Status{};
    }
  }
  got_other_ = true;
  if (wants_.multi_ack == MultiAck::kNone) return {};
  ZPACK_ASSIGN_OR_RETURN(const bool enough,
                         negotiation_.IsEnough(wants_.request.wants));
  if (!enough) return {};
  if (wants_.multi_ack == MultiAck::kPlain) {
    return writer.Line(fmt::format("ACK {} continue\n", hex));
  }
  sent_ready_ = true;
  return writer.Line(fmt::format("ACK {} ready\n", hex));
}

Result<bool> AcknowledgmentsV0::EndRound() {
  PacketWriter& writer = context_.writer();
  if (wants_.multi_ack == MultiAck::kDetailed && got_common_ && !got_other_) {
    ZPACK_ASSIGN_OR_RETURN(const bool enough,
                           negotiation_.IsEnough(wants_.request.wants));
    if (enough) {
      sent_ready_ = true;
      ZPACK_TRY(writer.Line(fmt::format("ACK {} ready\n", last_common_)));
    }
  }
  if (negotiation_.haves().empty() || wants_.multi_ack != MultiAck::kNone) {
    ZPACK_TRY(writer.Line("NAK\n"));
  }
  if (wants_.no_done && sent_ready_) {
    ZPACK_TRY(writer.Line(fmt::format("ACK {}\n", last_common_)));
    return true;
  }
  got_common_ = false;
  got_other_ = false;
  ZPACK_TRY(writer.Send());
  return false;
}

Status AcknowledgmentsV0::EndAll() {
  PacketWriter& writer = context_.writer();
  if (negotiation_.haves().empty()) return writer.Line("NAK\n");
  if (wants_.multi_ack == MultiAck::kNone) return {};
  return writer.Line(fmt::format("ACK {}\n", last_common_));
}

}  // namespace zpack
