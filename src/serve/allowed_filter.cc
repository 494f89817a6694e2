// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/allowed_filter.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "serve/git_number.h"

namespace zpack {
namespace {

constexpr int kMaxNesting = 16;  // of 'combine'

uint8_t TypeBit(ObjectType type) {
  return static_cast<uint8_t>(1U << static_cast<unsigned>(type));
}

std::unexpected<Error> Invalid(std::string_view specification) {
  return MakeError(ErrorCode::kInvalidArgument, "invalid filter-spec '{}'",
                   specification);
}

// Undoes the percent-encoding of a part of 'combine:'. Returns nullopt if it
// has characters that must be encoded.
std::optional<std::string> Decode(std::string_view text) {
  constexpr std::string_view kReserved = "~`!@#$^&*()[]{}\\;'\",<>?";
  std::string decoded;
  for (size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte <= ' ' || kReserved.find(text[at]) != std::string_view::npos) {
      return std::nullopt;
    }
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    // As in Git, a '%' without two digits stands for itself.
    uint8_t value = 0;
    if (at + 2 < text.size()) {
      const char* const digits = text.data() + at + 1;
      const auto parsed = std::from_chars(digits, digits + 2, value, 16);
      if (parsed.ec != std::errc() || parsed.ptr != digits + 2) value = 0;
    }
    decoded += value == 0 ? '%' : static_cast<char>(value);
    if (value != 0) at += 2;
  }
  return decoded;
}

class FilterParser {
 public:
  explicit FilterParser(const UploadPackSettings& settings)
      : settings_(settings) {}

  Status Parse(std::string_view specification, int nesting) {
    const std::string_view all = specification;
    if (specification == "blob:none") {
      ZPACK_TRY(Allow("blob:none"));
      filter_.types &= static_cast<uint8_t>(~TypeBit(ObjectType::kBlob));
      return {};
    }
    if (SkipPrefix("blob:limit=", specification)) {
      ZPACK_TRY(Allow("blob:limit"));
      return SetBlobLimit(specification, all);
    }
    if (SkipPrefix("tree:", specification)) {
      ZPACK_TRY(Allow("tree"));
      return SetTreeDepth(specification);
    }
    if (SkipPrefix("object:type=", specification)) {
      ZPACK_TRY(Allow("object:type"));
      return SetType(specification);
    }
    if (SkipPrefix("combine:", specification)) {
      ZPACK_TRY(Allow("combine"));
      return nesting < kMaxNesting ? Combine(specification, nesting)
                                   : Status(Invalid(all));
    }
    if (SkipPrefix("sparse:oid=", specification)) return Refuse("sparse:oid");
    if (SkipPrefix("sparse:path=", specification)) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "sparse:path filters support has been dropped");
    }
    return Invalid(all);
  }

  const ObjectFilter& filter() const { return filter_; }

 private:
  static std::unexpected<Error> Refuse(std::string_view name) {
    return MakeError(ErrorCode::kInvalidArgument, "filter '{}' not supported",
                     name);
  }

  Status Allow(std::string_view name) const {
    if (std::ranges::find(settings_.banned_filters, name) ==
        settings_.banned_filters.end()) {
      return {};
    }
    return Refuse(name);
  }

  Status SetBlobLimit(std::string_view text, std::string_view all) {
    const auto limit = ParseSize(text);
    if (!limit) return Invalid(all);
    filter_.blob_limit = std::min(filter_.blob_limit, *limit);
    return {};
  }

  Status SetTreeDepth(std::string_view text) {
    const auto depth = ParseSize(text);
    if (!depth) {
      return MakeError(ErrorCode::kInvalidArgument, "expected 'tree:<depth>'");
    }
    if (settings_.max_tree_depth && *depth > *settings_.max_tree_depth) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "tree filter allows max depth {}, but got {}",
                       *settings_.max_tree_depth, *depth);
    }
    filter_.tree_depth = std::min(filter_.tree_depth, *depth);
    return {};
  }

  Status SetType(std::string_view name) {
    const auto* const type =
        std::ranges::find(kAllObjectTypes, name, ObjectTypeName);
    if (type == kAllObjectTypes.end()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "'{}' for 'object:type=<type>' is not a valid object "
                       "type",
                       name);
    }
    filter_.types &= TypeBit(*type);
    return {};
  }

  Status Combine(std::string_view parts, int nesting) {
    if (parts.empty()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "expected something after combine:");
    }
    while (!parts.empty()) {
      const size_t end = std::min(parts.find('+'), parts.size());
      const auto part = Decode(parts.substr(0, end));
      if (!part) return Invalid(parts.substr(0, end));
      if (!part->empty()) ZPACK_TRY(Parse(*part, nesting + 1));
      parts.remove_prefix(std::min(end + 1, parts.size()));
    }
    return {};
  }

  const UploadPackSettings& settings_;
  ObjectFilter filter_;
};

}  // namespace

Result<ObjectFilter> ParseObjectFilter(std::string_view specification,
                                       const UploadPackSettings& settings) {
  FilterParser parser(settings);
  ZPACK_TRY(parser.Parse(specification, 0));
  return parser.filter();
}

}  // namespace zpack
