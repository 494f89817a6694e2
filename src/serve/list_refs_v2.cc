// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/list_refs_v2.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace zpack {
namespace {

// With so many prefixes, Git lists all refs.
constexpr size_t kMaxPrefixes = 65536;
// And with so many bytes of prefixes, this program does.
constexpr size_t kMaxPrefixBytes = size_t{16} << 20;

struct ListRequest {
  bool peel = false;
  bool symrefs = false;
  bool unborn = false;
  std::vector<std::string> prefixes;
  size_t prefix_bytes = 0;
  bool too_many_prefixes = false;

  // Sorts the prefixes and drops those that begin with another one, so that at
  // most one prefix can match a name: the last one that is not greater.
  void SortPrefixes() {
    if (too_many_prefixes) prefixes.clear();
    std::ranges::sort(prefixes);
    std::vector<std::string> kept;
    for (std::string& prefix : prefixes) {
      if (!kept.empty() && prefix.starts_with(kept.back())) continue;
      kept.push_back(std::move(prefix));
    }
    prefixes = std::move(kept);
  }

  // REQUIRES: SortPrefixes was called.
  bool Matches(std::string_view name) const {
    if (prefixes.empty()) return true;
    const auto after = std::ranges::upper_bound(prefixes, name);
    return after != prefixes.begin() && name.starts_with(*std::prev(after));
  }
};

Status TakeArgument(std::string_view line, const UploadPackSettings& settings,
                    ListRequest& request) {
  constexpr std::string_view kPrefix = "ref-prefix ";
  if (line == "peel") {
    request.peel = true;
  } else if (line == "symrefs") {
    request.symrefs = true;
  } else if (line == "unborn") {
    request.unborn = settings.allow_unborn;
  } else if (line.starts_with(kPrefix)) {
    if (request.too_many_prefixes) return {};
    request.prefixes.emplace_back(line.substr(kPrefix.size()));
    request.prefix_bytes += line.size();
    request.too_many_prefixes = request.prefixes.size() == kMaxPrefixes ||
                                request.prefix_bytes > kMaxPrefixBytes;
  } else {
    return MakeError(ErrorCode::kInvalidArgument, "unexpected line: '{}'",
                     line);
  }
  return {};
}

Result<ListRequest> ReadArguments(UploadContext& context) {
  ListRequest request;
  PacketReader& reader = context.reader();
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const Packet packet, reader.Read());
    if (packet == Packet::kFlush) break;
    if (packet != Packet::kLine) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "expected flush after ls-refs arguments");
    }
    ZPACK_TRY(TakeArgument(reader.line(), context.settings(), request));
  }
  request.SortPrefixes();
  return request;
}

}  // namespace

Status AnswerListRefs(UploadContext& context) {
  ZPACK_ASSIGN_OR_RETURN(const ListRequest request, ReadArguments(context));
  PacketWriter& writer = context.writer();
  const std::string_view unborn = context.refs().UnbornHead();
  // As in Git, only a client that asks for symbolic refs hears of it.
  if (request.unborn && request.symrefs && !unborn.empty() &&
      request.Matches("HEAD")) {
    ZPACK_TRY(
        writer.Line(fmt::format("unborn HEAD symref-target:{}\n", unborn)));
  }
  std::string line;
  ZPACK_TRY(context.refs().ForEach([&](const ServedRefs::Shown& ref) -> Status {
    if (!request.Matches(ref.name)) return {};
    line = ref.id.ToHex();
    (line += ' ') += ref.name;
    if (request.symrefs && !ref.symref_target.empty()) {
      (line += " symref-target:") += ref.symref_target;
    }
    if (request.peel && !ref.peeled.empty()) {
      (line += " peeled:") += ref.peeled.ToHex();
    }
    line += '\n';
    return writer.Line(line);
  }));
  return writer.Flush();
}

}  // namespace zpack
