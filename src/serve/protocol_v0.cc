// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/protocol_v0.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "serve/acknowledgments_v0.h"
#include "serve/history_boundary.h"
#include "serve/pack_sender.h"
#include "serve/wants_v0.h"

namespace zpack {
namespace {

std::string Capabilities(const UploadContext& context) {
  const UploadPackSettings& settings = context.settings();
  std::string text =
      "multi_ack thin-pack side-band side-band-64k ofs-delta shallow "
      "deepen-since deepen-not deepen-relative no-progress include-tag "
      "multi_ack_detailed";
  const WantsAllowed& wants = settings.wants;
  if (wants.tip || wants.any) text += " allow-tip-sha1-in-want";
  if (wants.reachable || wants.any) text += " allow-reachable-sha1-in-want";
  if (context.options().exchange != Exchange::kConnection) text += " no-done";
  if (const auto target = context.refs().HeadTarget(); !target.empty()) {
    (text += " symref=HEAD:") += target;
  }
  if (settings.allow_filter) text += " filter";
  if (!settings.session_id.empty()) {
    (text += " session-id=") += settings.session_id;
  }
  return fmt::format("{} {} {}", text,
                     ObjectFormatCapability(context.archive()),
                     AgentCapability());
}

Status AdvertiseRefs(UploadContext& context) {
  PacketWriter& writer = context.writer();
  if (context.options().protocol == ServeProtocol::kV1) {
    ZPACK_TRY(writer.Line("version 1\n"));
  }
  // The first line carries the capabilities.
  std::string capabilities = '\0' + Capabilities(context);
  const auto write = [&](std::string_view id, std::string_view name,
                         std::string_view suffix) -> Status {
    const Status written =
        writer.Line(fmt::format("{} {}{}{}\n", id, name, suffix, capabilities));
    capabilities.clear();
    return written;
  };
  const Status listed =
      context.refs().ForEach([&](const ServedRefs::Shown& ref) -> Status {
        ZPACK_TRY(write(ref.id.ToHex(), ref.name, ""));
        if (ref.peeled.empty()) return {};
        return write(ref.peeled.ToHex(), ref.name, "^{}");
      });
  ZPACK_TRY(listed);
  if (!capabilities.empty()) {
    const size_t width =
        ObjectIdWidth(context.archive().header().object_format);
    ZPACK_TRY(write(std::string(2 * width, '0'), "capabilities", "^{}"));
  }
  for (const ObjectId& id : context.archive().refs().shallow) {
    ZPACK_TRY(writer.Line("shallow " + id.ToHex()));
  }
  ZPACK_TRY(writer.Flush());
  return writer.Send();
}

// Answers the lines 'deepen'. Ends the conversation after them if the client
// says no more.
Result<BoundaryChange> AnswerDeepen(const FetchRequest& request,
                                    UploadContext& context, History& history) {
  const DeepenRequest& deepen = request.deepen;
  if (deepen.depth == 0 && !deepen.by_walk()) {
    // The client knows the boundary of the archive from the list of refs.
    for (const ObjectNumber commit : request.client_shallow) {
      history.EndAt(commit);
    }
    return BoundaryChange{};
  }
  ZPACK_ASSIGN_OR_RETURN(
      BoundaryChange change,
      ChangeBoundary(request, history, context.options().run.stop));
  PacketWriter& writer = context.writer();
  ZPACK_TRY(WriteBoundaryChange(change, history, writer));
  ZPACK_TRY(writer.Flush());
  ZPACK_TRY(writer.Send());
  return change;
}

Status AnswerRequest(UploadContext& context) {
  ZPACK_ASSIGN_OR_RETURN(const Packet first, context.reader().Peek());
  if (first == Packet::kEnd) return HungUp();
  if (first == Packet::kFlush) return {};  // nothing is wanted
  ZPACK_ASSIGN_OR_RETURN(History* const history, context.FreshHistory());
  ZPACK_ASSIGN_OR_RETURN(WantsV0 wants, ReadWantsV0(context, *history));
  if (wants.request.wants.empty()) return {};
  ZPACK_ASSIGN_OR_RETURN(const BoundaryChange change,
                         AnswerDeepen(wants.request, context, *history));
  if (context.options().exchange == Exchange::kRequest) {
    // The client reads the boundary first and asks again with its haves.
    ZPACK_ASSIGN_OR_RETURN(const Packet next, context.reader().Peek());
    if (next == Packet::kEnd) return {};
  }
  AcknowledgmentsV0 acknowledgments(context, *history, wants);
  ZPACK_ASSIGN_OR_RETURN(const bool complete, acknowledgments.Exchange());
  if (!complete) return context.writer().Send();
  PackReply reply(context.writer(),
                  {.max_packet = wants.max_packet,
                   .show_progress = !wants.request.no_progress,
                   .keep_alive = context.settings().keep_alive});
  wants.request.wants.insert(wants.request.wants.end(),
                             change.also_wanted.begin(),
                             change.also_wanted.end());
  std::vector<ObjectNumber> haves = acknowledgments.haves();
  haves.insert(haves.end(), change.unshallow.begin(), change.unshallow.end());
  return SendPack(wants.request, haves, context, *history, reply);
}

}  // namespace

Status ServeV0(UploadContext& context) {
  switch (context.options().exchange) {
    case Exchange::kAdvertisement:
      return AdvertiseRefs(context);
    case Exchange::kRequest:
      return AnswerRequest(context);
    default:
      ZPACK_TRY(AdvertiseRefs(context));
      return AnswerRequest(context);
  }
}

}  // namespace zpack
