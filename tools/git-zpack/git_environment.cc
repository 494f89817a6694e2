// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "common_options.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

// The value of a variable; empty if it is not set.
std::string_view ValueOf(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void Refuse(const char* name, std::string_view why) {
  throw CommandFailure{
      Error{.code = ErrorCode::kUnsupported,
            .message =
                fmt::format("{} is set to '{}': {}; unset it", name,
                            QuoteName(ValueOf(name), kMaxNameInMessage), why)}};
}

// The directories at `path` that may hold parts of a repository: that of the
// repository, and those of a linked worktree or submodule.
void AddPlaces(const fs::path& path, std::vector<fs::path>& places) {
  places.push_back(path);
  places.push_back(path / ".git");
  std::string line;
  if (!std::getline(std::ifstream(path / ".git"), line) ||
      !line.starts_with("gitdir: ")) {
    return;
  }
  const fs::path own = path / line.substr(sizeof "gitdir: " - 1);
  places.push_back(own);
  if (std::getline(std::ifstream(own / "commondir"), line)) {
    places.push_back(own / line);
  }
}

}  // namespace

void RefuseOtherRefs() {
  constexpr const char* kBackend = "GIT_REFERENCE_BACKEND";
  if (ValueOf(kBackend).empty()) return;
  Refuse(kBackend, "refs are read only from where the repository has them");
}

void RefuseOtherPlaces(const std::string& repository, Discovery discovery) {
  // With the part that the variable may name, as in hooks.
  constexpr std::array<std::pair<const char*, const char*>, 6> kVariables = {
      {{"GIT_INDEX_FILE", "index"},
       {"GIT_OBJECT_DIRECTORY", "objects"},
       {"GIT_ALTERNATE_OBJECT_DIRECTORIES", nullptr},
       {"GIT_GRAFT_FILE", "info/grafts"},
       {"GIT_SHALLOW_FILE", "shallow"},
       {"GIT_COMMON_DIR", ""}}};
  std::error_code ignored;
  std::vector<fs::path> places;
  fs::path path = fs::absolute(repository, ignored);
  AddPlaces(path, places);
  while (discovery == Discovery::kUpwards && path.has_relative_path()) {
    path = path.parent_path();
    AddPlaces(path, places);
  }
  for (const auto& [name, part] : kVariables) {
    if (ValueOf(name).empty()) continue;
    const fs::path wanted =
        fs::weakly_canonical(fs::absolute(ValueOf(name), ignored), ignored);
    const bool is_own = part != nullptr &&
                        std::ranges::any_of(places, [&](const fs::path& place) {
                          // Without the slash that an empty part adds.
                          const fs::path own =
                              *part == '\0' ? place : place / part;
                          return fs::weakly_canonical(own, ignored) == wanted;
                        });
    if (is_own) continue;
    Refuse(name,
           "repositories are repacked only with what they have in their "
           "places");
  }
  constexpr const char* kReplaced = "GIT_REPLACE_REF_BASE";
  const std::string_view base = ValueOf(kReplaced);
  if (base.empty() || base == "refs/replace" || base == "refs/replace/") return;
  Refuse(kReplaced, "only 'refs/replace/' is supported");
}

}  // namespace zpack::cli
