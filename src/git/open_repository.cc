// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/open_repository.h"

#include <git2/sys/repository.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "git/config/configuration_text.h"
#include "git/config/configuration_values.h"
#include "git/files/directory_listing.h"
#include "git/libgit2_options.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// A file that only this process can see. libgit2 reads configuration from files
// only.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content)
      : fd_(memfd_create("configuration", MFD_CLOEXEC)) {
    written_ =
        fd_.get() >= 0 && write(fd_.get(), content.data(), content.size()) ==
                              static_cast<ssize_t>(content.size());
  }
  bool written() const { return written_; }
  std::string path() const {
    return fmt::format("/proc/self/fd/{}", fd_.get());
  }

 private:
  Descriptor fd_;
  bool written_ = false;
};

// The settings on which it depends how libgit2 reads attributes. `attributes`
// is the file that the user's setting names otherwise, or empty.
std::string SettingsForLibgit2(const Configuration& config,
                               const std::string& attributes) {
  std::string text;
  AppendSection("core", std::nullopt, text);
  for (const char* const key : {"attributesfile", "ignorecase"}) {
    const ConfigEntry* const entry = config.Find(std::string("core.") + key);
    if (entry == nullptr) continue;
    const std::string value = WithoutOptional(entry->value.value_or(""));
    AppendEntry(key, entry->value ? value.c_str() : nullptr, text);
  }
  // The last value counts.
  if (!attributes.empty()) {
    AppendEntry("attributesfile", attributes.c_str(), text);
  }
  return text;
}

// Gives libgit2 these settings and no others: it parses configuration files
// differently from Git, and does not find those of the command line and of work
// trees.
Status SetConfiguration(git_repository* repository, const Configuration& config,
                        const std::string& attributes) {
  const MemoryFile file(SettingsForLibgit2(config, attributes));
  if (!file.written()) {
    return std::unexpected(IoError("write", "configuration", errno));
  }
  git_config* raw = nullptr;
  if (git_config_open_ondisk(&raw, file.path().c_str()) != 0) {
    return MakeError(ErrorCode::kGit, "cannot set the configuration: {}",
                     LastLibgit2Message());
  }
  const ConfigHandle settings(raw);
  // A snapshot, because the file goes away.
  git_config* snapshot = nullptr;
  if (git_config_snapshot(&snapshot, raw) != 0) {
    return MakeError(ErrorCode::kGit, "cannot set the configuration: {}",
                     LastLibgit2Message());
  }
  const ConfigHandle kept(snapshot);
  if (git_repository_set_config(repository, snapshot) != 0) {
    return MakeError(ErrorCode::kGit, "cannot set the configuration: {}",
                     LastLibgit2Message());
  }
  return {};
}

// The directory with .gitattributes files, apart from the git directory; empty
// if there is none. A missing work tree, for example of a moved submodule, is
// not an error.
fs::path FindWorkTree(const RepositoryLocation& location,
                      const RepositoryFormat& format) {
  fs::path work_tree = location.work_tree;
  if (!format.work_tree.empty()) {
    work_tree = fs::path(location.git_directory) / format.work_tree;
  } else if (format.bare.value_or(false)) {
    work_tree.clear();
  } else if (work_tree.empty() && location.git_directory.ends_with("/.git")) {
    work_tree = fs::path(location.git_directory).parent_path();
  }
  std::error_code error;
  return fs::is_directory(work_tree, error) ? work_tree : fs::path();
}

// libgit2 < 2.0: reads SHA-256 objects only in experimental builds. From 1.7 on
// it does not even open their repositories.
constexpr bool kOpensSha256 = LIBGIT2_VER_MAJOR == 1 && LIBGIT2_VER_MINOR < 7;

// libgit2 takes no directory for a repository whose HEAD is a symbolic link to
// a branch that is not born.
bool OpensHead(const RepositoryLocation& location) {
  return WhyNoFile(location.git_directory + "/HEAD").empty();
}

// A repository of libgit2 without a git directory.
Result<RepositoryHandle> MakeRepository() {
  git_repository* raw = nullptr;
  if (git_repository_new(&raw) == 0) return RepositoryHandle(raw);
  return MakeError(ErrorCode::kGit, "{}", LastLibgit2Message());
}

// Makes libgit2 use an empty index. It cannot read one with SHA-256 ids, nor
// find one without a git directory, and would then find no attributes at all.
Status HideIndex(git_repository* repository) {
  git_index* raw = nullptr;
  if (git_index_new(&raw) == 0) {
    const IndexHandle index(raw);
    if (git_repository_set_index(repository, raw) == 0) return {};
  }
  return MakeError(ErrorCode::kGit, "{}", LastLibgit2Message());
}

Result<RepositoryHandle> OpenGitDirectory(const RepositoryLocation& location) {
  git_repository* raw = nullptr;
  // From 1.7 on, libgit2 reads the configuration of the user and the system
  // when it opens a repository, and fails where Git goes on: in a home that may
  // not be searched. This library reads it as Git does (SetConfiguration).
  const NoLibgit2UserFiles hidden;
  // git_repository_open() is not used, because it requires that the work tree
  // exists.
  const int code =
      git_repository_open_bare(&raw, location.git_directory.c_str());
  if (code == 0) return RepositoryHandle(raw);
  return MakeError(
      code == GIT_ENOTFOUND ? ErrorCode::kNotFound : ErrorCode::kGit,
      "cannot open '{}': {}", location.name, LastLibgit2Message());
}

// Where libgit2 sees no git directory, its attributes take the place of the
// user's. Those of the work tree decide before them, other than in Git.
std::string OwnAttributes(const RepositoryLocation& location) {
  std::string path = location.common_directory + "/info/attributes";
  std::error_code error;
  if (!fs::exists(path, error)) path.clear();
  return path;
}

}  // namespace

Result<OpenedRepository> OpenRepositoryHandle(
    const RepositoryLocation& location) {
  const Libgit2Options options;
  ZPACK_ASSIGN_OR_RETURN(const RepositoryFormat format,
                         ReadRepositoryFormat(location));
  ZPACK_ASSIGN_OR_RETURN(Configuration config,
                         ReadConfiguration(location, format));
  const bool is_sha1 = format.object_format == ObjectFormat::kSha1;
  const bool opens = (is_sha1 || kOpensSha256) && OpensHead(location);
  ZPACK_ASSIGN_OR_RETURN(RepositoryHandle repository,
                         opens ? OpenGitDirectory(location) : MakeRepository());
  ZPACK_TRY(SetConfiguration(repository.get(), config,
                             opens ? "" : OwnAttributes(location)));
  const fs::path work_tree = FindWorkTree(location, format);
  if (!work_tree.empty() &&
      git_repository_set_workdir(repository.get(), work_tree.c_str(), 0) != 0) {
    return MakeError(ErrorCode::kGit, "cannot open '{}': {}", location.name,
                     LastLibgit2Message());
  }
  if (!is_sha1 || !opens) ZPACK_TRY(HideIndex(repository.get()));
  return OpenedRepository{std::move(repository), format, std::move(config)};
}

}  // namespace zpack
