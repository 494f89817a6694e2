// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/configuration.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "git/config/command_configuration.h"
#include "git/config/included_configuration.h"
#include "git/refs/reftable_refs.h"
#include "git/repository_layout.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

// The system-wide configuration file of Git's packages.
constexpr const char* kSystemFile = "/etc/gitconfig";

Status AddSystemFile(Denied denied, std::vector<ConfigurationFile>& files) {
  ZPACK_ASSIGN_OR_RETURN(const bool skipped,
                         EnvironmentBool("GIT_CONFIG_NOSYSTEM", false));
  if (skipped) return {};
  const char* const named = std::getenv("GIT_CONFIG_SYSTEM");
  files.push_back({named != nullptr ? named : kSystemFile, denied});
  return {};
}

void AddUserFiles(std::vector<ConfigurationFile>& files) {
  const auto add = [&files](const std::string& path) {
    files.push_back({path, Denied::kNoFile});
  };
  if (const char* const named = std::getenv("GIT_CONFIG_GLOBAL")) {
    return add(named);
  }
  const char* const home = std::getenv("HOME");
  const char* const xdg = std::getenv("XDG_CONFIG_HOME");
  if (xdg != nullptr && *xdg != '\0') {
    add(std::string(xdg) + "/git/config");
  } else if (home != nullptr) {
    add(std::string(home) + "/.config/git/config");
  }
  if (home != nullptr) add(std::string(home) + "/.gitconfig");
}

Result<std::vector<ConfigEntry>> CommandLine() {
  return CommandConfiguration(
      [](const char* name) { return std::getenv(name); });
}

// The short name of the branch that HEAD names. Empty if there is none.
std::string CurrentBranch(const RepositoryLocation& location,
                          const RepositoryFormat& format) {
  const auto head =
      format.ref_storage == RefStorage::kReftable
          ? ReadReftableHead(location, format.object_format)
          : ReadLooseRef(format.object_format, location.git_directory, "HEAD");
  if (!head || !*head || !IsValidRefName((*head)->symref_target)) return "";
  std::string_view name = (*head)->symref_target;
  return SkipPrefix("refs/heads/", name) ? std::string(name) : "";
}

}  // namespace

Result<Configuration> ReadProtectedConfiguration() {
  std::vector<ConfigurationFile> files;
  ZPACK_TRY(AddSystemFile(Denied::kNoFile, files));
  AddUserFiles(files);
  ZPACK_ASSIGN_OR_RETURN(const auto command_line, CommandLine());
  return ReadWithIncludes(files, command_line, {});
}

Result<Configuration> ReadConfiguration(const RepositoryLocation& location,
                                        const RepositoryFormat& format) {
  std::vector<ConfigurationFile> files;
  ZPACK_TRY(AddSystemFile(Denied::kError, files));
  AddUserFiles(files);
  files.push_back({location.common_directory + "/config"});
  if (format.worktree == WorktreeConfiguration::kYes) {
    files.push_back({location.git_directory + "/config.worktree"});
  }
  ZPACK_ASSIGN_OR_RETURN(const auto command_line, CommandLine());
  return ReadWithIncludes(files, command_line,
                          {location.git_directory,
                           [&] { return CurrentBranch(location, format); }});
}

}  // namespace zpack
