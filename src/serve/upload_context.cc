// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/upload_context.h"

#include <fmt/format.h>

#include <optional>

#include "base/bytes.h"
#include "base/error.h"
#include "serve/allowed_filter.h"
#include "serve/git_number.h"
#include "zpack/version.h"

namespace zpack {
Result<History*> UploadContext::FreshHistory() {
  if (history_ == nullptr) {
    ZPACK_ASSIGN_OR_RETURN(history_, History::Open(archive_));
  }
  history_->ForgetEnds();
  return history_.get();
}

std::string AgentCapability() {
  return fmt::format("agent=git-zpack/{}", LibraryVersion());
}

std::string ObjectFormatCapability(const ArchiveFile& archive) {
  return fmt::format("object-format={}",
                     ObjectFormatName(archive.header().object_format));
}

std::optional<ObjectId> IdAt(std::string_view text,
                             const ArchiveFile& archive) {
  const size_t size = 2 * ObjectIdWidth(archive.header().object_format);
  if (text.size() < size) return std::nullopt;
  return ObjectId::FromHex(text.substr(0, size));
}

Status CheckObjectFormat(std::string_view client, const ArchiveFile& archive) {
  const std::string_view ours =
      ObjectFormatName(archive.header().object_format);
  if (client == ours) return {};
  return MakeError(ErrorCode::kInvalidArgument,
                   "mismatched object format: server {}; client {}", ours,
                   client);
}

std::unexpected<Error> NotOurRef(std::string_view id) {
  return MakeError(ErrorCode::kInvalidArgument, "upload-pack: not our ref {}",
                   id);
}

Result<bool> FetchArguments::Parse(std::string_view line) {
  if (SkipPrefix("shallow ", line)) return ParseShallow(line);
  if (SkipPrefix("deepen ", line)) return ParseDeepen(line);
  if (SkipPrefix("deepen-since ", line)) return ParseDeepenSince(line);
  if (SkipPrefix("deepen-not ", line)) return ParseDeepenNot(line);
  return false;
}

Status FetchArguments::ParseFilter(std::string_view specification) {
  if (has_filter_) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "multiple filter-specs cannot be combined");
  }
  has_filter_ = true;
  ZPACK_ASSIGN_OR_RETURN(request_.filter,
                         ParseObjectFilter(specification, context_.settings()));
  return {};
}

Result<bool> FetchArguments::ParseShallow(std::string_view id) {
  const auto parsed = IdAt(id, context_.archive());
  if (!parsed) {
    return MakeError(ErrorCode::kInvalidArgument, "invalid shallow line: {}",
                     id);
  }
  const auto number = history_.Find(*parsed);
  if (!number) return true;  // as Git does, ignores what it does not have
  ZPACK_ASSIGN_OR_RETURN(const bool is_commit, history_.IsCommit(*number));
  if (!is_commit) {
    return MakeError(ErrorCode::kInvalidArgument, "invalid shallow object {}",
                     *parsed);
  }
  if (shallow_.insert(*number).second) {
    request_.client_shallow.push_back(*number);
  }
  return true;
}

Result<bool> FetchArguments::ParseDeepen(std::string_view depth) {
  const auto parsed = ParseDepth(depth);
  if (!parsed) {
    return MakeError(ErrorCode::kInvalidArgument, "Invalid deepen: {}", depth);
  }
  request_.deepen.depth = *parsed;
  return true;
}

Result<bool> FetchArguments::ParseDeepenSince(std::string_view time) {
  const auto parsed = ParseTime(time);
  if (!parsed) {
    return MakeError(ErrorCode::kInvalidArgument, "Invalid deepen-since: {}",
                     time);
  }
  request_.deepen.since = parsed;
  return true;
}

Result<bool> FetchArguments::ParseDeepenNot(std::string_view ref) {
  const std::vector<ObjectId> found = context_.refs().Expand(ref);
  if (found.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "deepen-not is not a ref: {}",
                     ref);
  }
  if (found.size() > 1) {
    return MakeError(ErrorCode::kInvalidArgument, "ambiguous deepen-not: {}",
                     ref);
  }
  const auto number = history_.Find(found.front());
  if (!number) {
    return MakeError(ErrorCode::kCorrupt, "object {} of ref {} is missing",
                     found.front(), ref);
  }
  if (not_of_.insert(*number).second) {
    request_.deepen.not_of.push_back(*number);
  }
  return true;
}

}  // namespace zpack
