// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/pathspec.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"
#include "zpack/tree_path.h"

namespace zpack::search {
namespace {

std::unexpected<Error> Bad(std::string_view text, std::string_view why) {
  return MakeError(ErrorCode::kInvalidArgument, "pathspec '{}': {}", text,
                   MessageText{why});
}

bool Equal(std::string_view a, std::string_view b, LetterCase letters) {
  if (letters == LetterCase::kExact) return a == b;
  return std::ranges::equal(
      a, b, [](char x, char y) { return ToLower(x) == ToLower(y); });
}

bool StartsWithPath(std::string_view path, std::string_view start,
                    LetterCase letters) {
  return path.size() >= start.size() &&
         Equal(path.substr(0, start.size()), start, letters);
}

// Whether `path` is `place`, or something in the directory of that name.
bool IsAtOrBelow(std::string_view path, std::string_view place,
                 LetterCase letters) {
  return StartsWithPath(path, place, letters) &&
         (path.size() == place.size() || place.ends_with('/') ||
          path[place.size()] == '/');
}

}  // namespace

Status Pathspec::ParseMagic(std::string_view& text, Item& item, bool& literal) {
  const std::string_view whole = text;
  if (text.starts_with(":(")) {
    const size_t end = text.find(')');
    if (end == std::string_view::npos) {
      return Bad(whole, "missing ')' at the end of pathspec magic");
    }
    std::string_view words = text.substr(2, end - 2);
    text.remove_prefix(end + 1);
    while (!words.empty()) {
      const size_t comma = std::min(words.find(','), words.size());
      const std::string_view word = words.substr(0, comma);
      words.remove_prefix(std::min(comma + 1, words.size()));
      if (word == "icase") {
        item.letters = LetterCase::kIgnore;
      } else if (word == "glob") {
        item.slashes = Slashes::kApart;
      } else if (word == "literal") {
        literal = true;
      } else if (word == "exclude") {
        item.excludes = true;
      } else if (word != "top" && !word.empty()) {
        return MakeError(ErrorCode::kInvalidArgument,
                         "pathspec '{}': magic '{}' is not supported", whole,
                         word);
      }
    }
    if (literal && item.slashes == Slashes::kApart) {
      return Bad(whole, "'literal' and 'glob' are incompatible");
    }
    return {};
  }
  text.remove_prefix(1);
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text.front();
    if (c == ':') {
      text.remove_prefix(1);
      break;
    }
    constexpr std::string_view kPunctuation = "!\"#%&',-/;<=>@_`~^";
    if (kPunctuation.find(c) == std::string_view::npos) break;
    if (c == '!' || c == '^') {
      item.excludes = true;
    } else if (c != '/') {
      return MakeError(ErrorCode::kInvalidArgument,
                       "pathspec '{}': unimplemented pathspec magic '{}'",
                       whole, text.substr(0, 1));
    }
  }
  return {};
}

Result<Pathspec::Item> Pathspec::ParseItem(std::string_view text) {
  if (text.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "empty string is not a valid pathspec. please use . "
                     "instead if you meant to match all paths");
  }
  Item item;
  bool literal = false;
  std::string_view rest = text;
  if (rest.starts_with(':')) ZPACK_TRY(ParseMagic(rest, item, literal));
  if (rest.starts_with('/')) return Bad(text, "is outside the tree");
  auto normal = NormalTreePath(rest);
  if (!normal) return Bad(text, "is outside the tree");
  item.pattern = *std::move(normal);
  item.plain =
      literal ? std::string::npos : item.pattern.find_first_of("*?[\\");
  item.plain = std::min(item.plain, item.pattern.size());
  return item;
}

Result<Pathspec> Pathspec::Parse(const std::vector<std::string>& patterns) {
  Pathspec spec;
  for (const std::string& pattern : patterns) {
    ZPACK_ASSIGN_OR_RETURN(Item item, ParseItem(pattern));
    spec.items_.push_back(std::move(item));
  }
  // Like Git, excludes from everything if nothing is included.
  if (!spec.items_.empty() &&
      std::ranges::all_of(spec.items_, &Item::excludes)) {
    spec.items_.emplace_back();
  }
  return spec;
}

Result<std::string> Pathspec::PathToFollow() const {
  if (items_.size() != 1) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "--follow requires exactly one pathspec");
  }
  const Item& item = items_.front();
  const bool is_glob = item.slashes == Slashes::kApart;
  const bool is_icase = item.letters == LetterCase::kIgnore;
  if (is_glob || is_icase) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "pathspec magic not supported by --follow: {}{}{}",
                     MessageText{is_glob ? "'glob'" : ""},
                     MessageText{is_glob && is_icase ? ", " : ""},
                     MessageText{is_icase ? "'icase'" : ""});
  }
  return item.pattern;
}

bool Pathspec::IsWithinDepth(std::string_view below) const {
  if (below.starts_with('/')) below.remove_prefix(1);
  return !max_depth_ ||
         static_cast<uint64_t>(std::ranges::count(below, '/')) <= *max_depth_;
}

bool Pathspec::ItemMatches(const Item& item, std::string_view path,
                           Entry entry) const {
  const std::string_view pattern = item.pattern;
  if (pattern.empty()) return IsWithinDepth(path);
  if (IsAtOrBelow(path, pattern, item.letters)) {
    return IsWithinDepth(path.substr(pattern.size()));
  }
  if (entry == Entry::kModule && pattern.size() == path.size() + 1 &&
      pattern.ends_with('/') && StartsWithPath(pattern, path, item.letters)) {
    return true;
  }
  return item.plain < pattern.size() &&
         WildMatch(pattern, path, item.letters, item.slashes);
}

bool Pathspec::Matches(std::string_view path, Entry entry) const {
  if (items_.empty()) return IsWithinDepth(path);
  bool included = false;
  for (const Item& item : items_) {
    if ((item.excludes || !included) && ItemMatches(item, path, entry)) {
      if (item.excludes) return false;
      included = true;
    }
  }
  return included;
}

bool Pathspec::MayEnter(std::string_view directory) const {
  if (items_.empty()) return IsWithinDepth(directory);
  // Like Git, looks at a directory that is excluded, but at none in it. With a
  // depth, deeper files are not excluded.
  const std::string_view path = directory.substr(0, directory.size() - 1);
  const auto excludes = [&](const Item& item) {
    return item.excludes && !max_depth_ && path.size() > item.pattern.size() &&
           IsAtOrBelow(path, item.pattern, item.letters);
  };
  if (std::ranges::any_of(items_, excludes)) return false;
  return std::ranges::any_of(items_, [&](const Item& item) {
    if (item.excludes) return false;
    const std::string_view plain =
        std::string_view(item.pattern).substr(0, item.plain);
    // One is inside the other, or the wildcards decide.
    const size_t shared = std::min(plain.size(), directory.size());
    const bool whole = item.plain == item.pattern.size() && !plain.empty();
    if (whole && !plain.ends_with('/') && directory.size() > plain.size() &&
        directory[plain.size()] != '/') {
      return false;
    }
    return Equal(plain.substr(0, shared), directory.substr(0, shared),
                 item.letters);
  });
}

}  // namespace zpack::search
