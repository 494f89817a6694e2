// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text_finder.h"

#include <string.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace zpack {
namespace {

// Bytes of source code and prose, the most frequent first.
constexpr std::string_view kFrequent =
    " etaoinsrlcdupmf\nhg_\t(),.;b-/v*ywkxT0=>1\"ESAR";

// Larger for rarer bytes.
size_t Rarity(char byte) {
  return std::min(kFrequent.find(byte), kFrequent.size());
}

// The operations of a processor without any of these are written out by the
// compiler.
using Lanes [[gnu::vector_size(16)]] = uint8_t;
constexpr size_t kStep = 2 * sizeof(Lanes);
// By eight positions: a byte of ones where both bytes are found.
using Hits = std::array<uint64_t, kStep / 8>;

Lanes Load(const char* from) {
  Lanes lanes;
  memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

Lanes AllOf(char byte) {
  std::array<char, sizeof(Lanes)> bytes;
  bytes.fill(byte);
  return Load(bytes.data());
}

Lanes IsEqual(Lanes a, Lanes b) { return std::bit_cast<Lanes>(a == b); }

// The first position of `hits`, which are not all zero.
size_t First(uint64_t hits) {
  const int bit = std::endian::native == std::endian::little
                      ? std::countr_zero(hits)
                      : std::countl_zero(hits);
  return static_cast<size_t>(bit) / 8;
}

uint64_t Without(uint64_t hits, size_t position) {
  const size_t shift =
      8 *
      (std::endian::native == std::endian::little ? position : 7 - position);
  return hits & ~(uint64_t{0xff} << shift);
}

}  // namespace

TextFinder::TextFinder(std::string text) : text_(std::move(text)) {
  for (size_t i = 1; i < text_.size(); ++i) {
    if (Rarity(text_[i]) > Rarity(text_[rarest_])) rarest_ = i;
  }
  second_ = rarest_ == 0 ? text_.size() - 1 : 0;
  for (size_t i = 0; i < text_.size(); ++i) {
    if (i != rarest_ && Rarity(text_[i]) > Rarity(text_[second_])) second_ = i;
  }
}

size_t TextFinder::Find(std::string_view in, size_t from) const {
  if (text_.size() == 1) return in.find(text_.front(), from);
  const Lanes rarest = AllOf(text_[rarest_]);
  const Lanes second = AllOf(text_[second_]);
  for (; from + kStep + text_.size() - 1 <= in.size(); from += kStep) {
    const char* const at = in.data() + from;
    const std::array<Lanes, 2> both = {
        IsEqual(Load(at + rarest_), rarest) &
            IsEqual(Load(at + second_), second),
        IsEqual(Load(at + sizeof(Lanes) + rarest_), rarest) &
            IsEqual(Load(at + sizeof(Lanes) + second_), second)};
    const auto any = std::bit_cast<std::array<uint64_t, 2>>(both[0] | both[1]);
    if ((any[0] | any[1]) == 0) continue;
    const auto hits = std::bit_cast<Hits>(both);
    for (size_t i = 0; i < hits.size(); ++i) {
      for (uint64_t left = hits[i]; left != 0;) {
        const size_t lane = First(left);
        const char* const found = at + 8 * i + lane;
        if (memcmp(found, text_.data(), text_.size()) == 0) {
          return static_cast<size_t>(found - in.data());
        }
        left = Without(left, lane);
      }
    }
  }
  return in.find(text_, from);
}

}  // namespace zpack
