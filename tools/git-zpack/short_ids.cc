// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "short_ids.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace zpack::cli {
namespace {

// A collision is likely from half of the bits on that count objects.
size_t UsualDigits(uint32_t objects) {
  constexpr size_t kLeastUsualDigits = 7;
  const auto bits = static_cast<size_t>(std::bit_width(objects));
  return std::max((std::max<size_t>(bits, 1) + 1) / 2, kLeastUsualDigits);
}

}  // namespace

ShortIds::ShortIds(const ArchiveReader& reader, std::optional<size_t> digits)
    : reader_(reader),
      digits_(digits ? *digits : UsualDigits(reader.object_count())) {}

Result<std::string> ShortIds::Of(const ObjectId& id) const {
  if (id.empty()) {
    const size_t width = 2 * ObjectIdWidth(reader_.object_format());
    return std::string(digits_ == 0 ? width : std::min(digits_, width), '0');
  }
  std::string hex = id.ToHex();
  if (digits_ == 0) return hex;
  for (size_t digits = digits_; digits < hex.size(); ++digits) {
    const auto found =
        reader_.ResolveAbbreviation(std::string_view(hex).substr(0, digits));
    if (!found && found.error().code == ErrorCode::kAmbiguous) continue;
    if (!found && found.error().code != ErrorCode::kNotFound) {
      return std::unexpected(found.error());
    }
    // Another object may be alone with these digits.
    if (found && *found != id) continue;
    hex.resize(digits);
    break;
  }
  return hex;
}

}  // namespace zpack::cli
