// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/configuration.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/error.h"
#include "git/command_configuration.h"
#include "git/libgit2_options.h"

namespace zpack {
namespace {

// The system-wide configuration file of Git's packages.
constexpr const char* kSystemFile = "/etc/gitconfig";

// libgit2 has no names for these two levels. Each level holds at most one file,
// and the greatest level has priority.
constexpr int kWorktreeLevel = GIT_CONFIG_LEVEL_APP;
constexpr int kCommandLevel = GIT_CONFIG_LEVEL_APP + 1;

// The result if the permission to read a file is missing.
enum class Denied : uint8_t { kError, kNoFile };

// A file that only this process can see. libgit2 reads configuration from files
// only.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content)
      : fd_(memfd_create("configuration", MFD_CLOEXEC)) {
    written_ = fd_ >= 0 && write(fd_, content.data(), content.size()) ==
                               static_cast<ssize_t>(content.size());
  }
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool written() const { return written_; }
  std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
  bool written_;
};

bool IsTrue(const char* variable) {
  const char* const value = std::getenv(variable);
  int yes = 0;
  return value != nullptr && git_config_parse_bool(&yes, value) == 0 &&
         yes != 0;
}

Status AddFile(const std::string& path, int level, Denied denied,
               git_repository* repository, git_config* config) {
  if (access(path.c_str(), R_OK) != 0) {
    if (errno == ENOENT || errno == ENOTDIR ||
        (errno == EACCES && denied == Denied::kNoFile)) {
      return {};
    }
    return std::unexpected(IoError("access", path, errno));
  }
  if (git_config_add_file_ondisk(config, path.c_str(),
                                 static_cast<git_config_level_t>(level),
                                 repository, 0) != 0) {
    return MakeError(ErrorCode::kGit, "bad config file '{}': {}", AtPath{path},
                     LastLibgit2Message());
  }
  return {};
}

Status AddSystemFile(git_repository* repository, git_config* config) {
  if (IsTrue("GIT_CONFIG_NOSYSTEM")) return {};
  const char* const named = std::getenv("GIT_CONFIG_SYSTEM");
  return AddFile(named != nullptr ? named : kSystemFile,
                 GIT_CONFIG_LEVEL_SYSTEM, Denied::kError, repository, config);
}

// Git skips these files if the home directory belongs to another user.
Status AddUserFiles(git_repository* repository, git_config* config) {
  if (const char* const named = std::getenv("GIT_CONFIG_GLOBAL")) {
    return AddFile(named, GIT_CONFIG_LEVEL_GLOBAL, Denied::kNoFile, repository,
                   config);
  }
  const char* const home = std::getenv("HOME");
  const char* const xdg = std::getenv("XDG_CONFIG_HOME");
  if (xdg != nullptr && *xdg != '\0') {
    ZPACK_TRY(AddFile(std::string(xdg) + "/git/config", GIT_CONFIG_LEVEL_XDG,
                      Denied::kNoFile, repository, config));
  } else if (home != nullptr) {
    ZPACK_TRY(AddFile(std::string(home) + "/.config/git/config",
                      GIT_CONFIG_LEVEL_XDG, Denied::kNoFile, repository,
                      config));
  }
  if (home == nullptr) return {};
  return AddFile(std::string(home) + "/.gitconfig", GIT_CONFIG_LEVEL_GLOBAL,
                 Denied::kNoFile, repository, config);
}

// A copy of the whole configuration, which does not change when files change.
Result<ConfigHandle> Snapshot(git_config* config) {
  git_config* raw = nullptr;
  if (git_config_snapshot(&raw, config) != 0) {
    return MakeError(ErrorCode::kGit, "cannot read the configuration: {}",
                     LastLibgit2Message());
  }
  return ConfigHandle(raw);
}

// Adds the level of the command line and takes the snapshot.
Result<ConfigHandle> Complete(git_repository* repository, git_config* config) {
  ZPACK_ASSIGN_OR_RETURN(
      const std::string text,
      CommandConfiguration([](const char* name) { return std::getenv(name); }));
  if (text.empty()) return Snapshot(config);
  const MemoryFile file(text);
  if (!file.written()) {
    return std::unexpected(IoError("write", "configuration", errno));
  }
  if (access(file.path().c_str(), R_OK) != 0) {
    return std::unexpected(IoError("access", file.path(), errno));
  }
  ZPACK_TRY(
      AddFile(file.path(), kCommandLevel, Denied::kError, repository, config));
  return Snapshot(config);
}

Result<ConfigHandle> NewConfiguration() {
  const Libgit2Options options;
  git_config* raw = nullptr;
  if (git_config_new(&raw) != 0) {
    return MakeError(ErrorCode::kGit, "cannot read the configuration: {}",
                     LastLibgit2Message());
  }
  return ConfigHandle(raw);
}

// The levels of the system and the user.
Result<ConfigHandle> Begin(git_repository* repository) {
  ZPACK_ASSIGN_OR_RETURN(ConfigHandle config, NewConfiguration());
  ZPACK_TRY(AddSystemFile(repository, config.get()));
  ZPACK_TRY(AddUserFiles(repository, config.get()));
  return config;
}

}  // namespace

Result<ConfigHandle> ReadConfigurationFile(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(ConfigHandle config, NewConfiguration());
  ZPACK_TRY(AddFile(path, GIT_CONFIG_LEVEL_LOCAL, Denied::kError, nullptr,
                    config.get()));
  return config;
}

Result<ConfigHandle> ReadProtectedConfiguration() {
  ZPACK_ASSIGN_OR_RETURN(const ConfigHandle config, Begin(nullptr));
  return Complete(nullptr, config.get());
}

Result<ConfigHandle> ReadConfiguration(git_repository* repository,
                                       const std::string& common_directory,
                                       const std::string& git_directory,
                                       WorktreeConfiguration worktree) {
  ZPACK_ASSIGN_OR_RETURN(const ConfigHandle config, Begin(repository));
  ZPACK_TRY(AddFile(common_directory + "/config", GIT_CONFIG_LEVEL_LOCAL,
                    Denied::kError, repository, config.get()));
  if (worktree == WorktreeConfiguration::kYes) {
    ZPACK_TRY(AddFile(git_directory + "/config.worktree", kWorktreeLevel,
                      Denied::kError, repository, config.get()));
  }
  return Complete(repository, config.get());
}

Status ForEachConfigEntry(
    const git_config* config,
    const std::function<Status(const git_config_entry&)>& visit) {
  git_config_iterator* raw = nullptr;
  // The iterator with a pattern is not used, because it leaks memory (libgit2
  // 1.5).
  if (git_config_iterator_new(&raw, config) != 0) {
    return MakeError(ErrorCode::kGit, "cannot list the configuration: {}",
                     LastLibgit2Message());
  }
  const std::unique_ptr<git_config_iterator,
                        Libgit2Free<git_config_iterator_free>>
      iterator(raw);
  git_config_entry* entry = nullptr;
  while (git_config_next(&entry, raw) == 0) ZPACK_TRY(visit(*entry));
  return {};
}

}  // namespace zpack
