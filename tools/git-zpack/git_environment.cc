// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
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

// A variable, and the part that it may name, as in hooks; null if none.
using PartVariable = std::pair<const char*, const char*>;

constexpr std::array<PartVariable, 2> kObjectVariables = {
    {{"GIT_OBJECT_DIRECTORY", "objects"},
     {"GIT_ALTERNATE_OBJECT_DIRECTORIES", nullptr}}};
constexpr std::array<PartVariable, 4> kOtherVariables = {
    {{"GIT_INDEX_FILE", "index"},
     {"GIT_GRAFT_FILE", "info/grafts"},
     {"GIT_SHALLOW_FILE", "shallow"},
     {"GIT_COMMON_DIR", ""}}};

// The directories that may hold the repository that a path names.
std::vector<fs::path> PlacesOf(const std::string& repository,
                               Discovery discovery) {
  std::error_code ignored;
  std::vector<fs::path> places;
  fs::path path = fs::absolute(repository, ignored);
  AddPlaces(path, places);
  while (discovery == Discovery::kUpwards && path.has_relative_path()) {
    path = path.parent_path();
    AddPlaces(path, places);
  }
  return places;
}

// Throws CommandFailure if a variable names another part than one of `places`.
void RefuseParts(std::span<const PartVariable> variables,
                 const std::vector<fs::path>& places, std::string_view why) {
  std::error_code ignored;
  for (const auto& [name, part] : variables) {
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
    if (!is_own) Refuse(name, why);
  }
}

}  // namespace

void RefuseOtherRefs() {
  constexpr const char* kBackend = "GIT_REFERENCE_BACKEND";
  if (ValueOf(kBackend).empty()) return;
  Refuse(kBackend, "refs are read only from where the repository has them");
}

void RefuseOtherObjects(const std::string& repository, Discovery discovery) {
  RefuseParts(kObjectVariables, PlacesOf(repository, discovery),
              "objects are read only from where the repository has them");
}

void RefuseOtherPlaces(const std::string& repository, Discovery discovery) {
  const std::vector<fs::path> places = PlacesOf(repository, discovery);
  constexpr std::string_view kWhy =
      "repositories are repacked only with what they have in their places";
  RefuseParts(kObjectVariables, places, kWhy);
  RefuseParts(kOtherVariables, places, kWhy);
  constexpr const char* kReplaced = "GIT_REPLACE_REF_BASE";
  const std::string_view base = ValueOf(kReplaced);
  if (base.empty() || base == "refs/replace" || base == "refs/replace/") return;
  Refuse(kReplaced, "only 'refs/replace/' is supported");
}

}  // namespace zpack::cli
