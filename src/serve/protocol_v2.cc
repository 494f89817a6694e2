// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/protocol_v2.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "serve/fetch_v2.h"
#include "serve/list_refs_v2.h"
#include "serve/object_info_v2.h"

namespace zpack {
namespace {

enum class Command : uint8_t { kNone, kListRefs, kFetch, kObjectInfo };

std::string FetchFeatures(const UploadPackSettings& settings) {
  std::string features = "fetch=shallow wait-for-done";
  if (settings.allow_filter) features += " filter";
  if (settings.allow_ref_in_want) features += " ref-in-want";
  if (settings.advertise_sideband_all) features += " sideband-all";
  return features;
}

Status AdvertiseCapabilities(UploadContext& context) {
  const UploadPackSettings& settings = context.settings();
  PacketWriter& writer = context.writer();
  ZPACK_TRY(writer.Line("version 2\n"));
  ZPACK_TRY(writer.Line(AgentCapability() + '\n'));
  ZPACK_TRY(writer.Line(settings.advertise_unborn ? "ls-refs=unborn\n"
                                                  : "ls-refs\n"));
  ZPACK_TRY(writer.Line(FetchFeatures(settings) + '\n'));
  ZPACK_TRY(writer.Line("server-option\n"));
  ZPACK_TRY(writer.Line(ObjectFormatCapability(context.archive()) + '\n'));
  if (!settings.session_id.empty()) {
    ZPACK_TRY(writer.Line(fmt::format("session-id={}\n", settings.session_id)));
  }
  // Clients since Git 2.56 ask only for attributes that are listed.
  if (settings.advertise_object_info) {
    ZPACK_TRY(writer.Line("object-info=size\n"));
  }
  ZPACK_TRY(writer.Flush());
  return writer.Send();
}

// The lines of a request before its arguments.
class RequestHead {
 public:
  explicit RequestHead(UploadContext& context) : context_(context) {}

  // Returns false if the client has ended the conversation.
  Result<bool> Read() {
    PacketReader& reader = context_.reader();
    bool any = false;
    while (true) {
      // The flush at the end is left for the command.
      ZPACK_ASSIGN_OR_RETURN(const Packet packet, reader.Peek());
      if (packet == Packet::kEnd && !any) return false;
      if (packet == Packet::kFlush && !any) return false;
      if (packet == Packet::kFlush) break;
      ZPACK_TRY(reader.Read());
      if (packet == Packet::kDelimiter) break;
      if (packet != Packet::kLine) {
        return HungUp();
      }
      ZPACK_TRY(Take(reader.line()));
      any = true;
    }
    if (command_ == Command::kNone) {
      return MakeError(ErrorCode::kInvalidArgument, "no command requested");
    }
    ZPACK_TRY(CheckObjectFormat(object_format_, context_.archive()));
    return true;
  }

  Command command() const { return command_; }

 private:
  Status Take(std::string_view line) {
    const size_t end = std::min(line.find('='), line.size());
    const std::string_view name = line.substr(0, end);
    std::string_view value = line.substr(end);
    const bool has_value = SkipPrefix("=", value);
    if (name == "command" && has_value) return TakeCommand(value);
    if (name == "object-format") {
      if (has_value) return TakeObjectFormat(value);
      return MakeError(ErrorCode::kInvalidArgument,
                       "object-format capability requires an argument");
    }
    // What these say means nothing.
    if (name == "agent" || name == "server-option") return {};
    if (name == "session-id" && !context_.settings().session_id.empty()) {
      return {};
    }
    return MakeError(ErrorCode::kInvalidArgument, "unknown capability '{}'",
                     line);
  }

  Status TakeObjectFormat(std::string_view name) {
    if (name != ObjectFormatName(ObjectFormat::kSha1) &&
        name != ObjectFormatName(ObjectFormat::kSha256)) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "unknown object format '{}'", name);
    }
    object_format_ = name;
    return {};
  }

  Status TakeCommand(std::string_view name) {
    if (command_ != Command::kNone) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "command '{}' requested after another command", name);
    }
    if (name == "ls-refs") command_ = Command::kListRefs;
    if (name == "fetch") command_ = Command::kFetch;
    if (name == "object-info" && context_.settings().advertise_object_info) {
      command_ = Command::kObjectInfo;
    }
    if (command_ != Command::kNone) return {};
    return MakeError(ErrorCode::kInvalidArgument, "invalid command '{}'", name);
  }

  UploadContext& context_;
  Command command_ = Command::kNone;
  std::string object_format_ = "sha1";  // if the client says nothing
};

// Returns false if the client has ended the conversation.
Result<bool> AnswerCommand(UploadContext& context) {
  RequestHead head(context);
  ZPACK_ASSIGN_OR_RETURN(const bool more, head.Read());
  if (!more) return false;
  switch (head.command()) {
    case Command::kListRefs:
      ZPACK_TRY(AnswerListRefs(context));
      break;
    case Command::kObjectInfo:
      ZPACK_TRY(AnswerObjectInfo(context));
      break;
    default:
      ZPACK_TRY(AnswerFetch(context));
      break;
  }
  ZPACK_TRY(context.writer().Send());
  return true;
}

}  // namespace

Status ServeV2(UploadContext& context) {
  switch (context.options().exchange) {
    case Exchange::kAdvertisement:
      return AdvertiseCapabilities(context);
    case Exchange::kRequest: {
      ZPACK_TRY(AnswerCommand(context));
      return {};
    }
    default:
      break;
  }
  ZPACK_TRY(AdvertiseCapabilities(context));
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const bool more, AnswerCommand(context));
    if (!more) return {};
  }
}

}  // namespace zpack
