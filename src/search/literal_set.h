// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the first of many plain texts: the automaton of Aho and Corasick
// ("Efficient string matching", CACM 1975), with one table step for each byte.
// Immutable; any number of threads may use it.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/result.h"
#include "zpack/wild_match.h"

namespace zpack::search {

class LiteralSet {
 public:
  // With LetterCase::kIgnore, letters of ASCII match those of either case.
  // Returns kLimitExceeded if the texts need a table of more than 256 MiB.
  // REQUIRES: none of the texts is empty.
  static Result<LiteralSet> Make(const std::vector<std::string>& texts,
                                 LetterCase letters = LetterCase::kExact);

  // Where the occurrence that ends first ends; npos if there is none.
  size_t FindEnd(std::string_view text, size_t from) const;

 private:
  LiteralSet() = default;

  // Gives the bytes of the texts their classes. Returns the number of classes.
  uint32_t SetClasses(const std::vector<std::string>& texts,
                      LetterCase letters);
  // Adds the steps for which the texts themselves have none. `final`, by state:
  // whether a text ends there.
  void AddSuffixSteps(uint32_t width, std::vector<bool> final);

  static constexpr uint32_t kFinal = uint32_t{1} << 31;

  std::array<uint8_t, 256> class_of_{};  // 0: no text has the byte
  // By state and class of a byte: the start of the next state's row, with
  // kFinal if a text ends there.
  std::vector<uint32_t> next_;
};

}  // namespace zpack::search
