// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/moved_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace zpack::log {
namespace {

// Git's diff takes a shortest script only up to about this many changes.
constexpr int64_t kMostChanges = 250;
// It leaves out lines which the other text has often if at least one more than
// this many lines that the other text does not have are around, on both sides
// within as many lines (xdl_clean_mmatch in xdiff/xprepare.c).
constexpr size_t kFewLines = 6;
constexpr int64_t kAround = 100;

// Lines, with their line feeds, by hash.
std::vector<size_t> LinesOf(std::string_view text) {
  std::vector<size_t> lines;
  while (!text.empty()) {
    const size_t feed = text.find('\n');
    const std::string_view line =
        feed == std::string_view::npos ? text : text.substr(0, feed + 1);
    lines.push_back(std::hash<std::string_view>()(line));
    text.remove_prefix(line.size());
  }
  return lines;
}

// Lines of a text, and their places, which descend.
struct PlacedLines {
  std::vector<size_t> lines;
  std::vector<int64_t> places;

  void Add(const std::vector<size_t>& text, int64_t place) {
    lines.push_back(text[static_cast<size_t>(place)]);
    places.push_back(place);
  }
  // Whether no more than kFewLines are near each other.
  bool AreFar() const {
    for (size_t i = kFewLines; i < places.size(); ++i) {
      if (places[i - kFewLines] - places[i] <= 2 * kAround) return false;
    }
    return true;
  }
};

// The lines that a shortest edit script removes and adds.
struct EditScript {
  PlacedLines removed;
  PlacedLines added;
};

class ScriptFinder {
 public:
  ScriptFinder(const std::vector<size_t>& before,
               const std::vector<size_t>& after)
      : before_(before), after_(after) {}

  // Nothing if there are more than kMostChanges.
  std::optional<EditScript> Find() {
    for (int64_t changes = 0; changes <= kMostChanges; ++changes) {
      // Diagonals beyond the last ones stand for no script.
      reached_.emplace_back(static_cast<size_t>(2 * changes + 1));
      for (int64_t diagonal = -changes; diagonal <= changes; diagonal += 2) {
        if (Extend(changes, diagonal)) return Trace(changes, diagonal);
      }
    }
    return std::nullopt;
  }

 private:
  // How far in `before_` the scripts with so many changes lead.
  int64_t& At(int64_t changes, int64_t diagonal) {
    return reached_[static_cast<size_t>(changes)]
                   [static_cast<size_t>(diagonal + changes)];
  }
  // Whether the last change of such a script adds a line.
  bool Adds(int64_t changes, int64_t diagonal) {
    if (diagonal == -changes) return true;
    return diagonal != changes &&
           At(changes - 1, diagonal - 1) < At(changes - 1, diagonal + 1);
  }
  // Where the script is after its last change.
  int64_t AfterChange(int64_t changes, int64_t diagonal) {
    if (changes == 0) return 0;
    return Adds(changes, diagonal) ? At(changes - 1, diagonal + 1)
                                   : At(changes - 1, diagonal - 1) + 1;
  }
  // True at the end of both.
  bool Extend(int64_t changes, int64_t diagonal) {
    auto x = static_cast<size_t>(AfterChange(changes, diagonal));
    auto y = static_cast<size_t>(static_cast<int64_t>(x) - diagonal);
    while (x < before_.size() && y < after_.size() && before_[x] == after_[y]) {
      ++x;
      ++y;
    }
    At(changes, diagonal) = static_cast<int64_t>(x);
    return x >= before_.size() && y >= after_.size();
  }

  EditScript Trace(int64_t changes, int64_t diagonal) {
    EditScript script;
    while (changes > 0) {
      const int64_t x = AfterChange(changes, diagonal);
      if (Adds(changes, diagonal)) {
        script.added.Add(after_, x - diagonal - 1);
        ++diagonal;
      } else {
        script.removed.Add(before_, x - 1);
        --diagonal;
      }
      --changes;
    }
    return script;
  }

  const std::vector<size_t>& before_;
  const std::vector<size_t>& after_;
  std::vector<std::vector<int64_t>> reached_;  // by changes and diagonal
};

}  // namespace

bool NothingMoved(std::string_view one, std::string_view two) {
  const std::vector<size_t> before = LinesOf(one);
  const std::vector<size_t> after = LinesOf(two);
  auto script = ScriptFinder(before, after).Find();
  if (!script || !script->removed.AreFar() || !script->added.AreFar()) {
    return false;
  }
  std::vector<size_t>& removed = script->removed.lines;
  std::ranges::sort(removed);
  return std::ranges::none_of(script->added.lines, [&](size_t line) {
    return std::ranges::binary_search(removed, line);
  });
}

}  // namespace zpack::log
