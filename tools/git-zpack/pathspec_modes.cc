// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pathspec_modes.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "common_options.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

[[noreturn]] void FailModes(std::string message) {
  throw CommandFailure{{ErrorCode::kInvalidArgument, std::move(message)}};
}

// A number other than 0, with a unit that changes nothing.
std::optional<bool> ParseNumberAsBool(const char* text) {
  errno = 0;
  char* end = nullptr;
  const intmax_t number = std::strtoimax(text, &end, 0);
  const bool overflow = errno == ERANGE;
  const auto unit = UnitOf(end);
  if (overflow || end == text || !unit) return std::nullopt;
  const int64_t most = std::numeric_limits<int>::max() / *unit;
  if (number > most || number < -most) return std::nullopt;
  return number != 0;
}

// As git_env_bool() of Git.
bool IsSet(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return false;
  const auto is = [value](const char* word) {
    return strcasecmp(value, word) == 0;
  };
  if (std::ranges::any_of(std::array{"true", "yes", "on"}, is)) return true;
  if (std::ranges::any_of(std::array{"", "false", "no", "off"}, is)) {
    return false;
  }
  const auto number = ParseNumberAsBool(value);
  if (!number) {
    FailModes(fmt::format("bad boolean environment value '{}' for '{}'",
                          QuoteName(value, kMaxNameInMessage), name));
  }
  return *number;
}

struct PathspecModes {
  bool literal = IsSet("GIT_LITERAL_PATHSPECS");
  bool glob = IsSet("GIT_GLOB_PATHSPECS");
  bool noglob = IsSet("GIT_NOGLOB_PATHSPECS");
  bool icase = IsSet("GIT_ICASE_PATHSPECS");
};

// Throws CommandFailure if they contradict each other.
PathspecModes ReadModes() {
  const PathspecModes modes;
  if (modes.glob && modes.noglob) {
    FailModes("global 'glob' and 'noglob' pathspec settings are incompatible");
  }
  if (modes.literal && (modes.glob || modes.icase)) {
    FailModes(
        "global 'literal' pathspec setting is incompatible with all other "
        "global pathspec settings");
  }
  return modes;
}

// A pathspec with its magic in words, each of which ends with a comma.
struct PathspecParts {
  std::string magic;
  std::string_view path;

  bool Has(std::string_view word) const {
    return ("," + magic).contains(fmt::format(",{},", word));
  }
};

// ':!path' and ':/path'. Nothing if the magic is not known.
std::optional<PathspecParts> ShortMagic(std::string_view text) {
  PathspecParts parts{"", text.substr(1)};
  for (; !parts.path.empty(); parts.path.remove_prefix(1)) {
    const char c = parts.path.front();
    if (c == '!' || c == '^') {
      parts.magic += "exclude,";
    } else if (c != '/') {
      constexpr std::string_view kUnknown = "\"#%&',-;<=>@_`~";
      if (kUnknown.contains(c)) return std::nullopt;
      if (c == ':') parts.path.remove_prefix(1);
      break;
    }
  }
  return parts;
}

// Nothing if the magic has no end, or is not known.
std::optional<PathspecParts> PartsOf(std::string_view text) {
  if (!text.starts_with(':')) return PathspecParts{"", text};
  if (!text.starts_with(":(")) return ShortMagic(text);
  const size_t end = text.find(')');
  if (end == std::string_view::npos) return std::nullopt;
  return PathspecParts{std::string(text.substr(2, end - 2)) + ",",
                       text.substr(end + 1)};
}

std::string WithModes(const std::string& text, const PathspecModes& modes) {
  if (modes.literal) return ":(literal)" + text;
  auto parts = PartsOf(text);
  if (!parts) return text;
  const bool literal = parts->Has("literal");
  const bool glob = parts->Has("glob");
  if (modes.glob && !literal) parts->magic += "glob,";
  if (modes.noglob && !glob) parts->magic += "literal,";
  if (modes.icase) parts->magic += "icase,";
  if (!parts->magic.empty()) parts->magic.pop_back();
  return fmt::format(":({}){}", parts->magic, parts->path);
}

}  // namespace

std::vector<std::string> WithPathspecModes(std::vector<std::string> pathspecs) {
  if (pathspecs.empty()) return pathspecs;
  const PathspecModes modes = ReadModes();
  if (!modes.literal && !modes.glob && !modes.noglob && !modes.icase) {
    return pathspecs;
  }
  for (std::string& pathspec : pathspecs) {
    if (!pathspec.empty()) pathspec = WithModes(pathspec, modes);
  }
  return pathspecs;
}

void RefusePathspecModes(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  const PathspecModes modes = ReadModes();
  if (!modes.glob && !modes.icase) return;
  FailModes(fmt::format(
      "{}: pathspec magic not supported by this command: {}{}{}",
      QuoteName(paths.front(), kMaxNameInMessage), modes.glob ? "'glob'" : "",
      modes.glob && modes.icase ? ", " : "", modes.icase ? "'icase'" : ""));
}

}  // namespace zpack::cli
