// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of deltas need: a second opinion on what a delta says, and
// contents that resemble each other. Pure; the same seeds give the same bytes
// everywhere.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "base/bytes.h"
#include "base/delta.h"

namespace zpack::testing {

using Random = std::mt19937_64;

// A number below `n`, which is at least 1.
inline size_t Below(Random& random, size_t n) {
  return static_cast<size_t>(random() % n);
}

inline Bytes ToBytes(std::string_view text) {
  const ByteView view = AsBytes(text);
  return {view.begin(), view.end()};
}

// What `delta` makes of `base`, with literals from `target`; nothing when a
// part of it lies outside of either.
inline std::optional<Bytes> ApplyDelta(ByteView base, ByteView target,
                                       const Delta& delta) {
  Bytes out;
  for (const DeltaCopy& copy : delta.copies) {
    const uint64_t room = target.size() - out.size();
    if (copy.length == 0 || copy.literals > room ||
        copy.length > room - copy.literals || copy.length > base.size() ||
        copy.offset > base.size() - copy.length) {
      return std::nullopt;
    }
    Append(out, target.subspan(out.size(), copy.literals));
    Append(out, base.subspan(copy.offset, copy.length));
  }
  Append(out, target.subspan(out.size()));
  return out;
}

// Lines of words, about `size` bytes. Lines hardly ever repeat.
inline Bytes RandomText(Random& random, size_t size) {
  std::string text;
  while (text.size() < size) {
    const size_t words = 2 + Below(random, 8);
    for (size_t i = 0; i < words; ++i) {
      const size_t letters = 2 + Below(random, 8);
      for (size_t j = 0; j < letters; ++j) {
        text += static_cast<char>('a' + Below(random, 26));
      }
      text += i + 1 == words ? '\n' : ' ';
    }
  }
  return ToBytes(text);
}

// `content` after `edits` edits: something inserted, removed, replaced, moved
// or repeated.
inline Bytes Edited(Random& random, Bytes content, unsigned edits) {
  const auto part = [&] {  // of at most 200 bytes
    const size_t begin = Below(random, content.size() + 1);
    const size_t end = std::min(content.size(), begin + Below(random, 200));
    return std::pair(begin, end);
  };
  const auto at = [&](size_t position) {
    return content.begin() + static_cast<ptrdiff_t>(position);
  };
  for (unsigned i = 0; i < edits; ++i) {
    const auto [begin, end] = part();
    const Bytes old(at(begin), at(end));
    switch (Below(random, 5)) {
      case 0: {
        const Bytes text = RandomText(random, Below(random, 100));
        content.insert(at(begin), text.begin(), text.end());
        break;
      }
      case 1:
        content.erase(at(begin), at(end));
        break;
      case 2:
        for (size_t j = begin; j < end; ++j) ++content[j];
        break;
      case 3:
        content.erase(at(begin), at(end));
        [[fallthrough]];
      default: {
        const size_t to = Below(random, content.size() + 1);
        content.insert(at(to), old.begin(), old.end());
      }
    }
  }
  return content;
}

}  // namespace zpack::testing
