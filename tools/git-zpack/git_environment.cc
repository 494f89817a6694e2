// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "common_options.h"
#include "zpack/quote.h"

namespace zpack::cli {

void RefuseOtherRefs() {
  const char* const backend = std::getenv("GIT_REFERENCE_BACKEND");
  if (backend == nullptr || *backend == '\0') return;
  throw CommandFailure{
      Error{.code = ErrorCode::kUnsupported,
            .message = fmt::format(
                "GIT_REFERENCE_BACKEND is set to '{}': refs are read only "
                "from where the repository has them; unset it",
                QuoteName(backend, kMaxNameInMessage))}};
}

namespace {

namespace fs = std::filesystem;

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

void RefuseOtherPlaces(const std::string& repository, Discovery discovery) {
  // With the usual value, or the name of the part that the variable may name,
  // as in hooks.
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
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const fs::path wanted =
        fs::weakly_canonical(fs::absolute(value, ignored), ignored);
    const bool is_own = part != nullptr &&
                        std::ranges::any_of(places, [&](const fs::path& place) {
                          // Without the slash that an empty part adds.
                          const fs::path own =
                              *part == '\0' ? place : place / part;
                          return fs::weakly_canonical(own, ignored) == wanted;
                        });
    if (is_own) continue;
    throw CommandFailure{
        Error{.code = ErrorCode::kUnsupported,
              .message = fmt::format(
                  "{} is set to '{}': repositories are repacked only with what "
                  "they have in their places; unset it",
                  name, QuoteName(value, kMaxNameInMessage))}};
  }
  const char* const base = std::getenv("GIT_REPLACE_REF_BASE");
  const std::string_view replaced = base == nullptr ? "" : base;
  if (replaced.empty() || replaced == "refs/replace" ||
      replaced == "refs/replace/") {
    return;
  }
  throw CommandFailure{
      Error{.code = ErrorCode::kUnsupported,
            .message = fmt::format(
                "GIT_REPLACE_REF_BASE is set to '{}': only 'refs/replace/' is "
                "supported; unset it",
                QuoteName(replaced, kMaxNameInMessage))}};
}

}  // namespace zpack::cli
