// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/object_info_v2.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "reader/object_reader.h"

namespace zpack {
namespace {

// One request may ask for this many objects.
constexpr size_t kMaxObjects = size_t{1} << 20;

struct InfoRequest {
  bool size = false;
  std::vector<ObjectId> ids;
};

Status TakeArgument(std::string_view line, const ArchiveFile& archive,
                    InfoRequest& request) {
  constexpr std::string_view kId = "oid ";
  if (line == "size") {
    request.size = true;
    return {};
  }
  if (!line.starts_with(kId)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "object-info: unexpected line: '{}'", line);
  }
  const auto id = IdAt(line.substr(kId.size()), archive);
  if (!id) {
    return MakeError(
        ErrorCode::kInvalidArgument,
        "object-info: protocol error, expected to get oid, not '{}'",
        line.substr(kId.size()));
  }
  if (request.ids.size() == kMaxObjects) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "object-info: more than {} objects in one request",
                     kMaxObjects);
  }
  request.ids.push_back(*id);
  return {};
}

Result<InfoRequest> ReadInfoRequest(UploadContext& context) {
  InfoRequest request;
  PacketReader& reader = context.reader();
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const Packet packet, reader.Read());
    if (packet == Packet::kFlush) return request;
    if (packet != Packet::kLine) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "object-info: expected flush after arguments");
    }
    ZPACK_TRY(TakeArgument(reader.line(), context.archive(), request));
  }
}

}  // namespace

Status AnswerObjectInfo(UploadContext& context) {
  ZPACK_ASSIGN_OR_RETURN(const InfoRequest request, ReadInfoRequest(context));
  ZPACK_ASSIGN_OR_RETURN(const History* const history, context.FreshHistory());
  ObjectReader objects(context.archive());
  PacketWriter& writer = context.writer();
  if (request.size && !request.ids.empty()) ZPACK_TRY(writer.Line("size"));
  for (const ObjectId& id : request.ids) {
    std::string line = id.ToHex();
    const auto number = history->Find(id);
    if (!number) {
      line += ' ';  // whatever was asked
    } else if (request.size) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info, objects.ReadInfo(*number));
      line += fmt::format(" {}", info.size);
    }
    ZPACK_TRY(writer.Line(line));
  }
  return writer.Flush();
}

}  // namespace zpack
