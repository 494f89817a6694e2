// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/literal_set.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"

namespace zpack::search {

uint32_t LiteralSet::SetClasses(const std::vector<std::string>& texts,
                                LetterCase letters) {
  const bool folds = letters == LetterCase::kIgnore;
  std::array<bool, 256> used{};
  for (const std::string& text : texts) {
    for (const char c : text) {
      used[static_cast<uint8_t>(folds ? ToLower(c) : c)] = true;
    }
  }
  // Class 0 is for bytes that no text has, unless there are none.
  uint32_t width = std::ranges::find(used, false) == used.end() ? 0 : 1;
  for (size_t c = 0; c < used.size(); ++c) {
    if (used[c]) class_of_[c] = static_cast<uint8_t>(width++);
  }
  for (char c = 'A'; folds && c <= 'Z'; ++c) {
    class_of_[static_cast<uint8_t>(c)] =
        class_of_[static_cast<uint8_t>(ToLower(c))];
  }
  return width;
}

Result<LiteralSet> LiteralSet::Make(const std::vector<std::string>& texts,
                                    LetterCase letters) {
  LiteralSet set;
  const uint32_t width = set.SetClasses(texts, letters);
  uint64_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  constexpr uint64_t kMostEntries = uint64_t{64} << 20;
  if ((bytes + 1) * width > kMostEntries) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "the patterns have {} bytes, which is too much", bytes);
  }
  std::vector<uint32_t>& next = set.next_;
  next.assign(width, 0);
  std::vector<bool> final = {false};
  for (const std::string& text : texts) {
    size_t row = 0;
    for (const char c : text) {
      const size_t at = row + set.class_of_[static_cast<uint8_t>(c)];
      if (next[at] == 0) {
        next[at] = static_cast<uint32_t>(next.size());
        next.resize(next.size() + width, 0);
        final.push_back(false);
      }
      row = next[at];
    }
    final[row / width] = true;
  }
  set.AddSuffixSteps(width, std::move(final));
  return set;
}

void LiteralSet::AddSuffixSteps(uint32_t width, std::vector<bool> final) {
  // Breadth first: a missing step is that of the longest proper suffix.
  std::vector<uint32_t> suffix(final.size(), 0);
  std::deque<uint32_t> rows = {0};
  while (!rows.empty()) {
    const uint32_t row = rows.front();
    rows.pop_front();
    const uint32_t fallback = suffix[row / width];
    for (uint32_t c = 0; c < width; ++c) {
      const uint32_t other = row == 0 ? 0 : next_[fallback + c] & ~kFinal;
      uint32_t& to = next_[row + c];
      if (to == 0) {
        to = other;
      } else {
        suffix[to / width] = other;
        if (final[other / width]) final[to / width] = true;
        rows.push_back(to);
      }
    }
  }
  for (uint32_t& to : next_) {
    if (final[to / width]) to |= kFinal;
  }
}

size_t LiteralSet::FindEnd(std::string_view text, size_t from) const {
  uint32_t row = 0;
  for (size_t at = from; at < text.size(); ++at) {
    row = next_[row + class_of_[static_cast<uint8_t>(text[at])]];
    if ((row & kFinal) != 0) return at + 1;
  }
  return std::string_view::npos;
}

}  // namespace zpack::search
