// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The kinds of edits, modes and children of a block of trees, as numbers
// (FORMAT.md, "Trees"). Pure.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/block_streams.h"

namespace zpack::format {

// On disk: do not change.
enum class TreeEditKind : uint8_t {
  kChange = 0,  // an entry of the base gets another child
  kRemove = 1,  // an entry of the base is left out
  kAdd = 2,     // an entry that the base does not have
};

// The modes of entries; a mode is stored as its index here. On disk: do not
// change.
inline constexpr std::array<std::string_view, 5> kTreeModes = {
    "100644", "100755", "40000", "120000", "160000"};
inline constexpr uint8_t kDirectoryMode = 2;
inline constexpr uint8_t kGitlinkMode = 4;
// The index of `mode` in kTreeModes, or nothing.
std::optional<uint8_t> TreeModeNumber(std::string_view mode);

// Maps the children of a lineage's trees to small codes, and back. For each
// name, the children seen under this name are kept, most recently used first. A
// new child is expected to have the number after the greatest child of the
// name, because versions of one path have consecutive numbers.
class TreeChildren {
 public:
  // The code of a child: the expected new child, another new child, or
  // kFirstKnown + its position among the children seen.
  static constexpr uint32_t kExpected = 0;
  static constexpr uint32_t kOther = 1;
  static constexpr uint32_t kFirstKnown = 2;
  // Maximum children kept for a name. A child that was dropped counts as new.
  static constexpr size_t kRemembered = 64;

  // For kOther, `difference` is the child's number minus the expected number.
  struct Code {
    uint32_t code = kExpected;
    int64_t difference = 0;
  };

  Code Encode(uint32_t name, LinkNumber child);

  // The child that `code` stands for. Nothing if the code is out of range, or
  // if a new child is not below `limit`.
  std::optional<LinkNumber> Decode(uint32_t name, const Code& code,
                                   uint32_t limit);

  // Begins a new lineage.
  void Clear();

 private:
  struct Seen {
    std::vector<LinkNumber> children;  // most recently used first
    LinkNumber next;  // one more than the greatest child; 0 for none
  };

  LinkNumber Expected(const Seen& seen) const {
    return seen.next != LinkNumber() ? seen.next : last_other_;
  }
  // Puts a new child in front.
  void Note(Seen& seen, LinkNumber child);

  std::unordered_map<uint32_t, Seen> names_;
  // The expected first child of a name: one more than the last new child that
  // was unexpected or the first of its name.
  LinkNumber last_other_;
};

// Writes the streams kChildren and kChildDifferences.
class ChildEncoder {
 public:
  void BeginLineage() { lineage_.Clear(); }
  // Appends a child that is called `name` in its tree.
  void Add(uint32_t name, LinkNumber child, BlockStreams& streams) {
    const TreeChildren::Code code = lineage_.Encode(name, child);
    streams.Number(StreamKind::kChildren, code.code);
    if (code.code == TreeChildren::kOther) {
      streams.Number(StreamKind::kChildDifferences, ZigZag(code.difference));
    }
  }

 private:
  TreeChildren lineage_;
};

// Reads both streams.
class ChildDecoder {
 public:
  // `streams` must outlive this object. Children are less than `limit`.
  ChildDecoder(const BlockStreams& streams, uint32_t limit)
      : children_(streams[StreamKind::kChildren]),
        differences_(streams[StreamKind::kChildDifferences]),
        limit_(limit) {}

  void BeginLineage() { lineage_.Clear(); }
  // The next child, which is called `name` in its tree. Nothing if the streams
  // are not valid.
  std::optional<LinkNumber> Next(uint32_t name);
  bool exhausted() const {
    return children_.exhausted() && differences_.exhausted();
  }

 private:
  ByteReader children_;
  ByteReader differences_;
  uint32_t limit_;
  TreeChildren lineage_;
};

}  // namespace zpack::format
