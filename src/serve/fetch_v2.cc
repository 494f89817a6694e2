// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/fetch_v2.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "serve/history_boundary.h"
#include "serve/negotiation.h"
#include "serve/pack_sender.h"

namespace zpack {
namespace {

class Fetch {
 public:
  Fetch(UploadContext& context, History& history)
      : context_(context),
        history_(history),
        arguments_(context, history, request_),
        negotiation_(history, context.options().run.stop),
        acknowledged_(history) {}

  Status Answer() {
    ZPACK_TRY(ReadArguments());
    // 'git fetch --negotiate-only' wants nothing but acknowledgments.
    if (request_.wants.empty() && !wait_for_done_) return {};
    if (has_haves_ && !done_) {
      ZPACK_ASSIGN_OR_RETURN(const bool ready, Acknowledge());
      if (!ready) return context_.writer().Flush();
      ZPACK_TRY(context_.writer().Delimiter());
    }
    return SendPackfile();
  }

 private:
  Status ReadArguments() {
    PacketReader& reader = context_.reader();
    while (true) {
      ZPACK_ASSIGN_OR_RETURN(const Packet packet, reader.Read());
      if (packet == Packet::kFlush) return {};
      if (packet != Packet::kLine) {
        return MakeError(ErrorCode::kInvalidArgument,
                         "expected flush after fetch arguments");
      }
      ZPACK_ASSIGN_OR_RETURN(const bool known, Take(reader.line()));
      if (!known) {
        return MakeError(ErrorCode::kInvalidArgument, "unexpected line: '{}'",
                         reader.line());
      }
    }
  }

  Result<bool> Take(std::string_view line) {
    if (TakeFlag(line)) return true;
    const std::string_view all = line;
    if (SkipPrefix("want ", line)) return TakeWant(line);
    if (SkipPrefix("have ", line)) return TakeHave(line);
    const UploadPackSettings& settings = context_.settings();
    if (settings.allow_ref_in_want && SkipPrefix("want-ref ", line)) {
      return TakeWantedRef(line);
    }
    if (settings.allow_filter && SkipPrefix("filter ", line)) {
      ZPACK_TRY(arguments_.ParseFilter(line));
      return true;
    }
    return arguments_.Parse(all);
  }

  bool TakeFlag(std::string_view line) {
    if (line == "done") {
      done_ = true;
    } else if (line == "thin-pack") {
      request_.thin_pack = true;
    } else if (line == "ofs-delta") {
      request_.offset_deltas = true;
    } else if (line == "no-progress") {
      request_.no_progress = true;
    } else if (line == "include-tag") {
      request_.include_tags = true;
    } else if (line == "deepen-relative") {
      request_.deepen.relative = true;
    } else if (line == "wait-for-done") {
      wait_for_done_ = true;
    } else if (line == "sideband-all" &&
               context_.settings().advertise_sideband_all) {
      context_.writer().UseSidebandForAll();
    } else {
      return false;
    }
    return true;
  }

  Result<bool> TakeWant(std::string_view hex) {
    const auto id = IdAt(hex, context_.archive());
    if (!id) {
      return MakeError(
          ErrorCode::kInvalidArgument,
          "git upload-pack: protocol error, expected to get oid, not 'want {}'",
          hex);
    }
    const auto number = history_.Find(*id);
    if (!number) return NotOurRef(id->ToHex());
    arguments_.AddWant(*number);
    return true;
  }

  Result<bool> TakeWantedRef(std::string_view name) {
    const auto ref = context_.refs().Find(name);
    if (!ref) {
      return MakeError(ErrorCode::kInvalidArgument, "unknown ref {}", name);
    }
    if (!wanted_names_.emplace(name).second) {
      return MakeError(ErrorCode::kInvalidArgument, "duplicate want-ref {}",
                       name);
    }
    const auto number = history_.Find(ref->id);
    if (!number) return NotOurRef(ref->id.ToHex());
    request_.wanted_refs.emplace_back(name, ref->id);
    arguments_.AddWant(*number);
    return true;
  }

  Result<bool> TakeHave(std::string_view hex) {
    const auto id = IdAt(hex, context_.archive());
    if (!id) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "expected SHA1 object, got '{}'", hex);
    }
    has_haves_ = true;
    ZPACK_ASSIGN_OR_RETURN(const bool common, negotiation_.AddHave(*id));
    if (common) acknowledged_.Insert(*history_.Find(*id));
    return true;
  }

  // Returns true if the pack follows.
  Result<bool> Acknowledge() {
    PacketWriter& writer = context_.writer();
    ZPACK_TRY(writer.Line("acknowledgments\n"));
    if (acknowledged_.members().empty()) ZPACK_TRY(writer.Line("NAK\n"));
    for (const ObjectNumber number : acknowledged_.members()) {
      ZPACK_TRY(
          writer.Line(fmt::format("ACK {}\n", history_.id(number).ToHex())));
    }
    if (wait_for_done_) return false;
    ZPACK_ASSIGN_OR_RETURN(const bool enough,
                           negotiation_.IsEnough(request_.wants));
    if (enough) ZPACK_TRY(writer.Line("ready\n"));
    return enough;
  }

  Status SendWantedRefs() {
    if (request_.wanted_refs.empty()) return {};
    PacketWriter& writer = context_.writer();
    ZPACK_TRY(writer.Line("wanted-refs\n"));
    for (const auto& [name, id] : request_.wanted_refs) {
      ZPACK_TRY(writer.Line(fmt::format("{} {}\n", id.ToHex(), name)));
    }
    return writer.Delimiter();
  }

  Result<BoundaryChange> SendShallowInfo() {
    const DeepenRequest& deepen = request_.deepen;
    if (deepen.depth == 0 && !deepen.by_walk() &&
        request_.client_shallow.empty() && !history_.archive_is_shallow()) {
      return BoundaryChange{};
    }
    ZPACK_ASSIGN_OR_RETURN(
        BoundaryChange change,
        ChangeBoundary(request_, history_, context_.options().run.stop));
    PacketWriter& writer = context_.writer();
    ZPACK_TRY(writer.Line("shallow-info\n"));
    ZPACK_TRY(WriteBoundaryChange(change, history_, writer));
    ZPACK_TRY(writer.Delimiter());
    return change;
  }

  Status SendPackfile() {
    ZPACK_ASSIGN_OR_RETURN(const BoundaryChange change, SendShallowInfo());
    ZPACK_TRY(SendWantedRefs());
    ZPACK_TRY(context_.writer().Line("packfile\n"));
    PackReply reply(context_.writer(),
                    {.max_packet = kMaxPacket,
                     .show_progress = !request_.no_progress,
                     .keep_alive = context_.settings().keep_alive});
    for (const ObjectNumber parent : change.also_wanted) {
      arguments_.AddWant(parent);
    }
    std::vector<ObjectNumber> haves = negotiation_.haves();
    haves.insert(haves.end(), change.unshallow.begin(), change.unshallow.end());
    return SendPack(request_, haves, context_, history_, reply);
  }

  UploadContext& context_;
  History& history_;
  FetchRequest request_;
  FetchArguments arguments_;
  Negotiation negotiation_;
  CommitSet acknowledged_;
  std::unordered_set<std::string> wanted_names_;
  bool has_haves_ = false;
  bool done_ = false;
  bool wait_for_done_ = false;
};

}  // namespace

Status AnswerFetch(UploadContext& context) {
  ZPACK_ASSIGN_OR_RETURN(History* const history, context.FreshHistory());
  return Fetch(context, *history).Answer();
}

}  // namespace zpack
