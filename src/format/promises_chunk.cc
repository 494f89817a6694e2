// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/promises_chunk.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace zpack::format {
namespace {

std::unexpected<Error> BadPromises(std::string_view what) {
  return MakeError(ErrorCode::kCorrupt, "bad {} in list of promised objects",
                   MessageText{what});
}

Result<PromisorRemote> DecodeRemote(ByteReader& in) {
  PromisorRemote remote;
  for (std::string* field : {&remote.name, &remote.url, &remote.filter}) {
    *field = AsText(in.LengthPrefixed());
  }
  if (!in.ok() || !IsValidRemoteName(remote.name) ||
      !IsValidRemoteValue(remote.url) || !IsValidRemoteValue(remote.filter)) {
    return BadPromises("remote");
  }
  return remote;
}

}  // namespace

void Encode(const Promises& promises, Bytes& out) {
  ByteWriter to(out);
  to.Varint(promises.remotes.size());
  for (const PromisorRemote& remote : promises.remotes) {
    for (const std::string* field :
         {&remote.name, &remote.url, &remote.filter}) {
      to.LengthPrefixed(AsBytes(*field));
    }
  }
  to.Varint(promises.ids.size());
  to.Raw(promises.ids.bytes());
}

Result<Promises> DecodePromises(ByteView payload, ObjectFormat format) {
  ByteReader in(payload);
  Promises promises;
  const uint64_t remotes = in.Varint();
  if (!in.ok() || remotes == 0 || remotes > kMaxPromisorRemotes) {
    return BadPromises("number of remotes");
  }
  for (uint64_t i = 0; i < remotes; ++i) {
    ZPACK_ASSIGN_OR_RETURN(PromisorRemote remote, DecodeRemote(in));
    if (std::ranges::find(promises.remotes, remote.name,
                          &PromisorRemote::name) != promises.remotes.end()) {
      return BadPromises("remote");
    }
    promises.remotes.push_back(std::move(remote));
  }
  const uint64_t count = in.Varint();
  const size_t width = ObjectIdWidth(format);
  if (!in.ok() || count == 0 || count > std::numeric_limits<uint32_t>::max() ||
      in.remaining() % width != 0 || in.remaining() / width != count) {
    return BadPromises("number of ids");
  }
  const ByteView ids = in.Raw(in.remaining());
  if (std::ranges::all_of(ids.first(width), [](uint8_t b) { return b == 0; })) {
    return BadPromises("id");
  }
  auto table = ObjectIdTable::FromSorted(format, Bytes(ids.begin(), ids.end()));
  if (!table) return BadPromises("order of ids");
  promises.ids = *std::move(table);
  return promises;
}

}  // namespace zpack::format
