// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "exec/lazy_repository.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string_view>
#include <system_error>
#include <vector>

#include "exec/cached_repository.h"
#include "exec/remote_location.h"
#include "list_paths.h"
#include "run_git.h"
#include "zpack/quote.h"
#include "zpack/refs.h"
#include "zpack/repository_files.h"
#include "zpack/restore.h"

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

// Names of repositories that are not complete. Those that an earlier run left
// are removed after a day.
constexpr std::string_view kIncomplete = ".new-";
constexpr auto kMaxAge = std::chrono::hours(24);
// A file in the repository with a line for each fetch: the command that the
// fetch is for.
constexpr const char* kFetches = "zpack-fetches";
// A directory for the contents of all files until they are complete.
constexpr const char* kArriving = "zpack-arriving";
// So many fetches of a few objects take less time than all contents: these, and
// one for each kObjectsPerFetch objects of the file.
constexpr uint64_t kFewFetches = 8;
constexpr uint64_t kObjectsPerFetch = 256;
// Below, preparing takes less than a second.
constexpr uint32_t kManyObjects = 20'000;

std::unexpected<Error> CannotWrite(const fs::path& path,
                                   const std::error_code& error) {
  return std::unexpected(Error{
      ErrorCode::kIo, fmt::format("unable to create '{}': {}",
                                  QuoteName(path.native(), kMaxNameInMessage),
                                  error.message())});
}

Result<fs::path> CacheDirectory() {
  const char* const cache = getenv("XDG_CACHE_HOME");
  const char* const home = getenv("HOME");
  fs::path path;
  if (cache != nullptr && fs::path(cache).is_absolute()) {
    path = cache;
  } else if (home != nullptr && fs::path(home).is_absolute()) {
    path = fs::path(home) / ".cache";
  } else {
    return std::unexpected(
        Error{ErrorCode::kIo, "neither XDG_CACHE_HOME nor HOME names a place"});
  }
  for (const char* const directory : {"git-zpack", "exec"}) {
    path /= directory;
    if (const Status made = MakeCacheDirectory(path); !made) {
      return std::unexpected(made.error());
    }
  }
  return path;
}

void RemoveStale(const fs::path& directory) {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  const auto paths = ListPaths(directory);
  if (!paths) return;
  for (const fs::path& path : *paths) {
    if (!path.filename().native().starts_with(kIncomplete)) continue;
    const auto time = fs::last_write_time(path, error);
    if (!error && now - time > kMaxAge) fs::remove_all(path, error);
  }
}

// A value in Git's configuration, in quotes.
std::string ConfigValue(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// The whole configuration of the repository.
std::string Configuration(const std::string& url, ObjectFormat format,
                          LazyContents contents, Download download) {
  std::string text =
      "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n";
  if (format != ObjectFormat::kSha1) {
    text += fmt::format("\tobjectFormat = {}\n", ObjectFormatName(format));
  }
  if (contents == LazyContents::kNone) text += "\tpartialClone = origin\n";
  text += fmt::format("[remote \"origin\"]\n\turl = {}\n", ConfigValue(url));
  if (contents == LazyContents::kNone) {
    text += "\tpromisor = true\n\tpartialCloneFilter = blob:none\n";
  }
  // Older protocols give no single objects, whatever the user prefers. Each
  // fetch leaves a small pack, and Git would repack them again and again.
  text += "[protocol]\n\tversion = 2\n";
  text += "[promisor]\n\tquiet = true\n";
  text += "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";
  if (download == Download::kYes) text += "[zpack]\n\tdownload = true\n";
  return text;
}

// Writes the configuration unless it is there. An earlier version may have
// written another one.
Status WriteConfiguration(const fs::path& repository, const std::string& text) {
  const fs::path path = repository / "config";
  std::ifstream in(path, std::ios::binary);
  const std::string old(std::istreambuf_iterator<char>(in), {});
  if (old == text) return {};
  const fs::path temporary =
      repository / fmt::format("config.new-{}", getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  std::error_code error;
  if (!out) {
    return CannotWrite(temporary, std::make_error_code(std::errc::io_error));
  }
  fs::rename(temporary, path, error);
  if (error) return CannotWrite(path, error);
  return {};
}

Status Clone(const std::string& url, const fs::path& repository,
             const LazyOptions& options, const Io& io) {
  std::vector<std::string> arguments = {"-c", "protocol.version=2"};
  if (options.download == Download::kYes) {
    arguments.insert(arguments.end(), {"-c", "zpack.download=true"});
  }
  arguments.insert(arguments.end(),
                   {"clone", "--mirror", "--template=", "--quiet"});
  if (options.contents == LazyContents::kNone) {
    arguments.emplace_back("--filter=blob:none");
  }
  arguments.insert(arguments.end(), {"--", url, repository.native()});
  // The configuration that replaces that of Git names no other format.
  setenv("GIT_DEFAULT_REF_FORMAT", "files", 1);
  const int code = RunGit(arguments, io.stop);
  unsetenv("GIT_DEFAULT_REF_FORMAT");
  return CheckGit("git clone", code, io.stop);
}

// Makes refs symbolic that are so in the file. A server says that of HEAD only.
Status LinkRefs(const RefsSnapshot& refs, const fs::path& repository,
                const Io& io) {
  for (const Ref& ref : refs.refs) {
    if (!ref.symbolic()) continue;
    const int code = RunGit({"--git-dir", repository.native(), "symbolic-ref",
                             ref.name, ref.symref_target},
                            io.stop);
    const Status linked = CheckGit("git symbolic-ref", code, io.stop);
    if (!linked) return linked;
  }
  return {};
}

// What Git reads from: an absolute path or a URL.
Result<std::string> SourceOf(const std::string& file) {
  if (IsUrlOfHttp(file)) return file;
  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  if (!error) return path.native();
  return std::unexpected(
      Error{ErrorCode::kIo,
            fmt::format("unable to find '{}': {}",
                        QuoteName(NameWithoutSecrets(file), kMaxNameInMessage),
                        error.message())});
}

// The name of the repository for `source`. The hash in the trailer is not
// enough: Opening a file does not check it, so any file can have the hash of
// another file. No two files have the same path, inode and times, and the
// owner of a file cannot choose the time of its last change.
Result<std::string> RepositoryName(const std::string& source,
                                   const std::string& file_hash, const Io& io) {
  std::string key = fmt::format("{}\n{}\n", file_hash, source);
  if (!IsUrlOfHttp(source)) {
    struct stat status = {};
    if (stat(source.c_str(), &status) != 0) {
      return std::unexpected(Error{
          ErrorCode::kIo,
          fmt::format("unable to find '{}': {}",
                      QuoteName(NameWithoutSecrets(source), kMaxNameInMessage),
                      std::generic_category().message(errno))});
    }
    key += fmt::format("{} {} {} {}.{:09} {}.{:09}", status.st_dev,
                       status.st_ino, status.st_size, status.st_mtim.tv_sec,
                       status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                       status.st_ctim.tv_nsec);
  }
  std::string name = HashWithGit(key, io.stop);
  if (!name.empty()) return name;
  return std::unexpected(Error{ErrorCode::kGit, "'git hash-object' failed"});
}

// Counts a fetch for `command`, and returns how many there were.
uint64_t CountFetch(const fs::path& repository, const std::string& command) {
  std::ofstream(repository / kFetches, std::ios::binary | std::ios::app)
      << command + '\n';
  std::ifstream in(repository / kFetches, std::ios::binary);
  uint64_t count = 0;
  for (std::string line; std::getline(in, line);) {
    if (line == command) ++count;
  }
  return count;
}

// Moves the packs of one repository to another. Git takes a pack into use when
// it sees the index.
Status MovePacks(const fs::path& from, const fs::path& to) {
  const auto paths = ListPaths(from / "objects/pack");
  if (!paths) return std::unexpected(paths.error());
  for (const bool indexes : {false, true}) {
    for (const fs::path& path : *paths) {
      if ((path.extension() == ".idx") != indexes) continue;
      const fs::path place = to / "objects/pack" / path.filename();
      std::error_code error;
      fs::rename(path, place, error);
      if (error) return CannotWrite(place, error);
    }
  }
  return {};
}

// Gives a repository its name, unless another process was faster. What has the
// name and cannot be used goes.
Status Publish(const fs::path& made, const fs::path& repository,
               const std::string& name) {
  std::error_code error;
  fs::rename(made, repository, error);
  if (!error || IsSealed(repository, name)) return {};
  const fs::path old = made.native() + "-old";
  fs::rename(repository, old, error);
  fs::rename(made, repository, error);
  std::error_code ignored;
  fs::remove_all(old, ignored);
  if (!error || IsSealed(repository, name)) return {};
  return CannotWrite(repository, error);
}

}  // namespace

void FetchAllIfMany(const std::string& file, Download download, const Io& io) {
  const char* const repository = getenv(kLazyRepositoryVariable);
  const char* const command = getenv(kLazyCommandVariable);
  const char* const git_directory = getenv("GIT_DIR");
  std::error_code error;
  if (repository == nullptr || command == nullptr || git_directory == nullptr ||
      !fs::equivalent(repository, git_directory, error)) {
    return;
  }
  const uint64_t fetches = CountFetch(repository, command);
  if (fetches <= kFewFetches) return;
  RestoreOptions options;
  options.read.download = download;
  options.run.stop = io.stop;
  options.without_files.assign(kAllFileGroups.begin(), kAllFileGroups.end());
  const auto reader = ArchiveReader::Open(file, options.read);
  if (!reader ||
      fetches <= kFewFetches + (*reader)->object_count() / kObjectsPerFetch) {
    return;
  }
  const fs::path arriving = fs::path(repository) / kArriving;
  // Another process is at it, or was killed, or has moved them already.
  if (!fs::create_directory(arriving, error)) return;
  io.err << "hint: Git asks for files one by one; fetching all of them now, as "
            "'git zpack exec --all' does\n";
  io.err.flush();
  // A failure is not one of the fetch, which goes on as before.
  if (Restore(file, arriving / "all", options)) {
    (void)MovePacks(arriving / "all", repository);
  }
  fs::remove_all(arriving / "all", error);
}

Result<std::string> PrepareLazyRepository(const std::string& file,
                                          const ArchiveReader& reader,
                                          const LazyOptions& given,
                                          const Io& io) {
  LazyOptions options = given;
  const auto cache = CacheDirectory();
  if (!cache) return std::unexpected(cache.error());
  const auto source = SourceOf(file);
  if (!source) return std::unexpected(source.error());
  const auto name = RepositoryName(*source, reader.file_hash(), io);
  if (!name) return std::unexpected(name.error());
  std::error_code error;
  const fs::path all = *cache / (*name + "-all");
  // A repository with all contents serves both kinds.
  if (IsSealed(all, *name)) options.contents = LazyContents::kAll;
  const fs::path repository =
      options.contents == LazyContents::kAll ? all : *cache / *name;
  const std::string url = "zpack::" + *source;
  const std::string configuration = Configuration(
      url, reader.object_format(), options.contents, options.download);
  if (IsSealed(repository, *name)) {
    const Status written = WriteConfiguration(repository, configuration);
    if (!written) return std::unexpected(written.error());
    fs::remove(repository / kFetches, error);
    return repository.native();
  }
  RemoveStale(*cache);
  if (reader.object_count() > kManyObjects) {
    // Without its name: a URL may have a password.
    io.err << "Preparing the file for Git. Later runs start at once.\n";
    io.err.flush();
  }
  std::string temporary = *cache / fmt::format("{}XXXXXX", kIncomplete);
  if (mkdtemp(temporary.data()) == nullptr) {
    return CannotWrite(temporary, {errno, std::generic_category()});
  }
  Status made = Clone(url, temporary, options, io);
  if (made) made = LinkRefs(reader.refs(), temporary, io);
  if (made) made = WriteConfiguration(temporary, configuration);
  if (made) made = SealRepository(temporary, *name);
  if (made) made = Publish(temporary, repository, *name);
  std::error_code ignored;
  fs::remove_all(temporary, ignored);
  if (!made) return std::unexpected(made.error());
  return repository.native();
}

}  // namespace zpack::cli
