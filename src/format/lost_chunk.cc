// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/lost_chunk.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace zpack::format {
namespace {

// On disk: the type of an object of which nothing is known but the id.
constexpr uint8_t kNoType = 0;

std::unexpected<Error> BadLost(std::string_view what) {
  return MakeError(ErrorCode::kCorrupt, "bad {} in list of lost objects",
                   MessageText{what});
}

}  // namespace

void Encode(const LostObjects& lost, Bytes& out) {
  ByteWriter to(out);
  to.Varint(lost.ids.size());
  to.Raw(lost.ids.bytes());
  for (const std::optional<ObjectType>& type : lost.types) {
    out.push_back(type ? static_cast<uint8_t>(*type) : kNoType);
  }
}

Result<LostObjects> DecodeLostObjects(ByteView payload, ObjectFormat format) {
  ByteReader in(payload);
  const uint64_t count = in.Varint();
  const size_t width = ObjectIdWidth(format);
  if (!in.ok() || count == 0 || count > std::numeric_limits<uint32_t>::max() ||
      in.remaining() % (width + 1) != 0 ||
      in.remaining() / (width + 1) != count) {
    return BadLost("number of ids");
  }
  const ByteView ids = in.Raw(count * width);
  if (std::ranges::all_of(ids.first(width), [](uint8_t b) { return b == 0; })) {
    return BadLost("id");
  }
  LostObjects lost;
  auto table = ObjectIdTable::FromSorted(format, Bytes(ids.begin(), ids.end()));
  if (!table) return BadLost("order of ids");
  lost.ids = *std::move(table);
  lost.types.reserve(count);
  for (const uint8_t number : in.Raw(in.remaining())) {
    const auto type = static_cast<ObjectType>(number);
    if (number == kNoType) {
      lost.types.emplace_back();
    } else if (std::ranges::find(kAllObjectTypes, type) !=
               kAllObjectTypes.end()) {
      lost.types.emplace_back(type);
    } else {
      return BadLost("type");
    }
  }
  return lost;
}

}  // namespace zpack::format
