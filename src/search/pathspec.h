// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Patterns that limit a command to paths ("pathspec" in gitglossary(7)), all of
// them relative to the top of the tree. Immutable; any number of threads may
// use it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/result.h"
#include "zpack/wild_match.h"

namespace zpack::search {

class Pathspec {
 public:
  // One without patterns matches everything.
  Pathspec() = default;

  // kInvalidArgument for an empty pattern, one that leads out of the tree, and
  // magic that Git or this function does not know: 'attr' needs attributes,
  // which are not read.
  static Result<Pathspec> Parse(const std::vector<std::string>& patterns);
  // Leaves out what is more than `depth` directories below a pattern without
  // wildcards, or without patterns, below the top.
  void LimitDepth(uint32_t depth) { max_depth_ = depth; }

  bool empty() const { return items_.empty(); }
  // The only pattern, as the path of a file whose history is followed.
  // kInvalidArgument for several patterns, and for magic that Git does not
  // follow.
  Result<std::string> PathToFollow() const;
  // What a path leads to. A submodule may be named with a slash at the end.
  enum class Entry : uint8_t { kFile, kModule };
  // Whether the file or submodule `path` is wanted.
  bool Matches(std::string_view path, Entry entry = Entry::kFile) const;
  // Whether something in the directory, whose path ends with a slash, may be
  // wanted.
  bool MayEnter(std::string_view directory) const;

 private:
  struct Item {
    std::string pattern;
    size_t plain = 0;  // bytes before the first wildcard
    LetterCase letters = LetterCase::kExact;
    Slashes slashes = Slashes::kPlain;
    bool excludes = false;
  };

  static Result<Item> ParseItem(std::string_view text);
  static Status ParseMagic(std::string_view& text, Item& item, bool& literal);
  bool ItemMatches(const Item& item, std::string_view path, Entry entry) const;
  bool IsWithinDepth(std::string_view below) const;

  std::vector<Item> items_;
  std::optional<uint32_t> max_depth_;
};

}  // namespace zpack::search
