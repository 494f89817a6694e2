// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/expansion.h"

#include <algorithm>
#include <array>
#include <limits>

namespace zpack::format {
namespace {

// One of the sums of Expansion.
struct Rule {
  uint64_t Expansion::* sum;
  uint64_t floor;  // the limit of an empty file
  uint64_t ratio;  // added for each byte of the file
  // Writers leave room for this part of the sum once more, 1 / reserve. Readers
  // that decode blocks again use it, most of all for content.
  uint64_t reserve;
};
constexpr std::array kRules = {
    Rule{&Expansion::content, uint64_t{256} << 20, 1024, 2},
    Rule{&Expansion::decoded, uint64_t{160} << 20, 32, 4},
    Rule{&Expansion::chains, uint64_t{8} << 30, uint64_t{1} << 17, 4},
};

uint64_t Add(uint64_t a, uint64_t b) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  return b > kMost - a ? kMost : a + b;
}

uint64_t Multiply(uint64_t a, uint64_t b) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  return b != 0 && a > kMost / b ? kMost : a * b;
}

// Memory for each raw byte of a stream: 1 for the byte, plus the memory that a
// reader keeps for an item, which may be encoded in a single byte.
uint64_t Weight(StreamKind kind) {
  switch (kind) {
    case StreamKind::kSizes:  // an object
      return 65;
    case StreamKind::kEditCounts:    // a tree
    case StreamKind::kEditKinds:     // an edit
    case StreamKind::kParentCounts:  // a commit
      return 33;
    case StreamKind::kNames:       // a name, an identity or a time zone that
    case StreamKind::kIdentities:  // may be new
    case StreamKind::kTimeZones:
    case StreamKind::kFarBases:  // half of a base
      return 17;
    case StreamKind::kParents:
      return 5;
    default:
      return 1;
  }
}

}  // namespace

Expansion& Expansion::operator+=(const Expansion& other) {
  for (const Rule& rule : kRules) {
    this->*rule.sum = Add(this->*rule.sum, other.*rule.sum);
  }
  return *this;
}

bool Expansion::Within(const Expansion& limit) const {
  return std::ranges::all_of(kRules, [&](const Rule& rule) {
    return this->*rule.sum <= limit.*rule.sum;
  });
}

Expansion MaxExpansion(uint64_t file_size) {
  Expansion most;
  for (const Rule& rule : kRules) {
    most.*rule.sum = Add(rule.floor, Multiply(rule.ratio, file_size));
  }
  return most;
}

uint64_t FileSizeFor(const Expansion& expansion) {
  uint64_t size = 0;
  for (const Rule& rule : kRules) {
    const uint64_t sum = expansion.*rule.sum;
    const uint64_t allowed = Add(sum, sum / rule.reserve);
    if (allowed <= rule.floor) continue;
    size = std::max(size, (allowed - rule.floor - 1) / rule.ratio + 1);
  }
  return size;
}

uint64_t DecodedSize(const BlockHeader& header,
                     const std::vector<StreamHeader>& streams) {
  if (header.kind == BlockKind::kSegment) return 0;
  uint64_t size = 0;
  for (const StreamHeader& stream : streams) {
    size = Add(size, Multiply(Weight(stream.kind), stream.raw_size));
  }
  return size;
}

}  // namespace zpack::format
