// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/revision_name.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace zpack {
namespace {

// Position of the first colon outside of '@{...}' and '^{...}'. Other braces
// may be in the name of a ref.
size_t FindPathColon(std::string_view name) {
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    if (rest.starts_with("@{") || rest.starts_with("^{")) {
      ++depth;
      ++i;
    }
    if (name[i] == '}' && depth > 0) --depth;
    if (name[i] == ':' && depth == 0) return i;
  }
  return std::string_view::npos;
}

// The step '^<number>' or '~<number>' at the end of `rest`, which is removed.
std::optional<RevisionStep> TakeNumber(std::string_view& rest) {
  const size_t sign = rest.find_last_not_of("0123456789");
  if (sign == std::string_view::npos) return std::nullopt;
  if (rest[sign] != '^' && rest[sign] != '~') return std::nullopt;
  RevisionStep step;
  step.kind = rest[sign] == '^' ? RevisionStep::Kind::kParent
                                : RevisionStep::Kind::kAncestor;
  step.number = 1;
  const std::string_view digits = rest.substr(sign + 1);
  if (!digits.empty()) {
    const auto parsed = std::from_chars(
        digits.data(), digits.data() + digits.size(), step.number);
    constexpr uint32_t kMax = std::numeric_limits<int32_t>::max();
    if (parsed.ec != std::errc{} || step.number > kMax) return std::nullopt;
  }
  rest = rest.substr(0, sign);
  return step;
}

// The step '^{<type>}' at the end of `rest`, which is removed.
std::optional<RevisionStep> TakePeeling(std::string_view& rest) {
  if (!rest.ends_with('}')) return std::nullopt;
  const size_t start = rest.rfind("^{");
  if (start == std::string_view::npos) return std::nullopt;
  const std::string_view word = rest.substr(start + 2, rest.size() - start - 3);
  RevisionStep step;
  if (word.empty()) {
    step.kind = RevisionStep::Kind::kPeelTag;
  } else if (word.starts_with('/')) {
    step.kind = RevisionStep::Kind::kSearch;
    step.text = word.substr(1);
  } else if (word != "object") {
    const auto* const type =
        std::ranges::find(kAllObjectTypes, word, ObjectTypeName);
    if (type == kAllObjectTypes.end()) return std::nullopt;
    step.kind = RevisionStep::Kind::kPeel;
    step.type = *type;
  }
  rest = rest.substr(0, start);
  return step;
}

}  // namespace

std::optional<std::string_view> PathOfName(std::string_view name) {
  const size_t colon = FindPathColon(name);
  if (colon == std::string_view::npos) return std::nullopt;
  return name.substr(colon + 1);
}

RevisionName ParseRevisionName(std::string_view name) {
  RevisionName parsed;
  parsed.path = PathOfName(name);
  std::string_view rest = name.substr(0, FindPathColon(name));
  while (true) {
    auto step = TakeNumber(rest);
    if (!step) step = TakePeeling(rest);
    if (!step) break;
    parsed.steps.push_back(*step);
  }
  std::ranges::reverse(parsed.steps);
  parsed.base = rest;
  return parsed;
}

bool UsesParents(std::string_view name) {
  if (name.starts_with(":/")) return true;
  return std::ranges::any_of(ParseRevisionName(name).steps,
                             [](const RevisionStep& step) {
                               return step.number > 0 || !step.text.empty();
                             });
}

}  // namespace zpack
