// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What writer and reader of a block of trees must agree upon beyond its
// streams (FORMAT.md, "Trees"). Pure.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"

namespace zpack::format {

// On disk: do not change.
enum class TreeEditKind : uint8_t {
  kChange = 0,  // an entry of the base gets another child
  kRemove = 1,  // an entry of the base is left out
  kAdd = 2,     // an entry that the base does not have
};

// Modes of entries, by the number that stands for them. On disk: do not change.
inline constexpr std::array<std::string_view, 5> kTreeModes = {
    "100644", "100755", "40000", "120000", "160000"};
inline constexpr uint8_t kDirectoryMode = 2;
inline constexpr uint8_t kGitlinkMode = 4;
// The number of `mode`, unless it is another one.
std::optional<uint8_t> TreeModeNumber(std::string_view mode);

// Turns the children of a lineage's trees into small numbers and back. For each
// name it remembers the children seen there, the last one first, and expects
// that one which was not seen there before follows the greatest of them, since
// versions of one path are numbered in a row.
class TreeChildren {
 public:
  // Codes of a child: the expected new one, another new one, or
  // kFirstKnown + its position among those seen.
  static constexpr uint32_t kExpected = 0;
  static constexpr uint32_t kOther = 1;
  static constexpr uint32_t kFirstKnown = 2;
  // So many are remembered for a name; one forgotten counts as not seen.
  static constexpr size_t kRemembered = 64;

  // A code, and for kOther the number's difference from the expected one.
  struct Code {
    uint32_t code = kExpected;
    int64_t difference = 0;
  };

  Code Encode(uint32_t name, LinkNumber child);

  // The child that `code` stands for, with `difference` for kOther; nothing
  // when there is none, or it is not below `limit`.
  std::optional<LinkNumber> Decode(uint32_t name, const Code& code,
                                   uint32_t limit);

  // Begins a new lineage.
  void Clear();

 private:
  struct Seen {
    std::vector<LinkNumber> children;  // the last one first
    LinkNumber next;                   // one more than the greatest; 0 for none
  };

  LinkNumber Expected(const Seen& seen) const {
    return seen.next != LinkNumber() ? seen.next : last_other_;
  }
  // Puts a new child in front.
  void Note(Seen& seen, LinkNumber child);

  std::unordered_map<uint32_t, Seen> names_;
  // Where a name's first child is expected: after the last unexpected one.
  LinkNumber last_other_;
};

}  // namespace zpack::format
