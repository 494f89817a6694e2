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

// The ref `name`, or HEAD, not peeled. Nothing if there is none, or only a
// packed one, which is not symbolic.
Result<std::optional<Ref>> ReadRef(const RepositoryLocation& location,
                                   const RepositoryFormat& format,
                                   const std::string& name) {
  const bool own = name == kHeadName || IsPerWorktreeRef(name);
  const std::string& directory =
      own ? location.git_directory : location.common_directory;
  return format.ref_storage == RefStorage::kReftable
             ? ReadReftableRef(directory, format.object_format, name)
             : ReadLooseRef(format.object_format, directory, name);
}

// The short name of the branch at which a chain of symbolic refs from HEAD
// ends. Empty if there is none.
std::string CurrentBranch(const RepositoryLocation& location,
                          const RepositoryFormat& format) {
  constexpr int kMaxChain = 5;  // as in Git
  std::string name(kHeadName);
  for (int i = 0; i < kMaxChain; ++i) {
    const auto ref = ReadRef(location, format, name);
    if (!ref) return "";
    if (!*ref || !(*ref)->symbolic()) {
      std::string_view branch = name;
      return SkipPrefix("refs/heads/", branch) ? std::string(branch) : "";
    }
    name = (*ref)->symref_target;
    if (!IsValidRefName(name)) return "";
  }
  return "";
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
                          {location.git_directory, location.named,
                           [&] { return CurrentBranch(location, format); }});
}

}  // namespace zpack
