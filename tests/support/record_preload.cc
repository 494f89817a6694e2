// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD that records what a program does to files and
// directories, for tools/dev/power-cut. Only what is below ZPACK_RECORD_ROOT is
// concerned.
//
//   ZPACK_RECORD_ROOT  directory, as an absolute path without links
//   ZPACK_RECORD       file to which the record is appended
//   ZPACK_RECORD_LOSE  kind of operation that is left out of the record,
//                      'sync-file', 'sync-directory' or 'sync-all', to prove
//                      that power-cut notices
//
// The record is a sequence of operations that succeeded, in the order in which
// they ended. Each is a line of words, separated by tabs; a line 'write' is
// followed by the bytes.
//
//   create INODE KIND PATH      KIND is file, directory or link
//   resize INODE SIZE
//   write INODE OFFSET SIZE
//   sync-file INODE             fsync, fdatasync of a file
//   sync-directory INODE
//   sync-all                    syncfs, sync
//   rename FROM TO              replaces TO
//   exchange FROM TO
//   link INODE PATH
//   remove PATH                 of a file, a link or an empty directory
//
// Descriptors that programs inherit, mapped files and the streams of stdio are
// not seen; power-cut notices, since the record must lead to the files that are
// there in the end. May be used by any number of threads.

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "support/preload.h"

namespace {

using zpack::testing::Next;

class Recorder {
 public:
  static Recorder& Get() {
    static Recorder* const recorder = new Recorder;
    return *recorder;
  }

  bool concerns(const std::string& path) const {
    return fd_ >= 0 && (path + '/').starts_with(root_);
  }

  // The absolute path of `path` relative to the directory open as `directory`.
  static std::string PathOf(int directory, const char* path) {
    constexpr std::string_view kDescriptors = "/proc/self/fd/";
    if (std::string_view(path).starts_with(kDescriptors)) {
      const char* const end = strchr(path + kDescriptors.size(), '/');
      if (end == nullptr) return ReadLink(path);
      return ReadLink(std::string(path, end)) + end;
    }
    if (path[0] == '/') return path;
    const std::string link = directory == AT_FDCWD
                                 ? "/proc/self/cwd"
                                 : "/proc/self/fd/" + std::to_string(directory);
    return ReadLink(link) + '/' + path;
  }

  // The path of an open file; its inode may be linked elsewhere or nowhere.
  static std::string PathOf(int fd) {
    return ReadLink("/proc/self/fd/" + std::to_string(fd));
  }

  void Add(const std::string& line, const void* bytes = nullptr,
           size_t size = 0) {
    if (fd_ < 0) return;
    if (!lose_.empty() && line.starts_with(lose_)) return;
    static auto* const next = Next(::writev, "writev");
    const std::scoped_lock lock(mutex_);
    const std::string ended = line + '\n';
    const iovec parts[] = {{const_cast<char*>(ended.data()), ended.size()},
                           {const_cast<void*>(bytes), size}};
    if (next(fd_, parts, size == 0 ? 1 : 2) !=
        static_cast<ssize_t>(ended.size() + size)) {
      abort();  // an incomplete record is worse than none
    }
  }

  // A name that `open` or another call has made.
  void AddCreated(const std::string& path) {
    struct stat info;
    if (lstat(path.c_str(), &info) != 0) return;
    const char* const kind = S_ISDIR(info.st_mode)   ? "directory"
                             : S_ISLNK(info.st_mode) ? "link"
                                                     : "file";
    Add("create\t" + std::to_string(info.st_ino) + '\t' + kind + '\t' + path);
  }

  void AddWrite(int fd, const void* bytes, size_t size, off_t offset) {
    Add("write\t" + Inode(fd) + '\t' + std::to_string(offset) + '\t' +
            std::to_string(size),
        bytes, size);
  }

  void AddSync(int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0) return;
    Add((S_ISDIR(info.st_mode) ? "sync-directory\t" : "sync-file\t") +
        std::to_string(info.st_ino));
  }

  static std::string Inode(int fd) {
    struct stat info;
    return fstat(fd, &info) == 0 ? std::to_string(info.st_ino) : "0";
  }

 private:
  Recorder() {
    const char* const root = getenv("ZPACK_RECORD_ROOT");
    const char* const path = getenv("ZPACK_RECORD");
    const char* const lose = getenv("ZPACK_RECORD_LOSE");
    if (root == nullptr || path == nullptr) return;
    root_ = std::string(root) + '/';
    if (lose != nullptr) lose_ = lose;
    static auto* const next = Next(::open, "open");
    fd_ = next(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }

  static std::string ReadLink(const std::string& link) {
    char target[PATH_MAX];
    const ssize_t size = readlink(link.c_str(), target, sizeof target);
    return size < 0 ? "" : std::string(target, static_cast<size_t>(size));
  }

  std::string root_;
  std::string lose_;
  int fd_ = -1;
  std::mutex mutex_;
};

Recorder& Record() { return Recorder::Get(); }

bool IsConcerned(int fd) { return Record().concerns(Recorder::PathOf(fd)); }

bool Exists(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0;
}

template <typename Open>
int OpenRecorded(int directory, const char* name, int flags, Open open) {
  const std::string path = Recorder::PathOf(directory, name);
  if (!Record().concerns(path)) return open();
  const bool existed = Exists(path);
  const int fd = open();
  if (fd < 0) return fd;
  const int error = errno;
  if (!existed) Record().AddCreated(path);
  if (existed && (flags & O_TRUNC) != 0) {
    Record().Add("resize\t" + Recorder::Inode(fd) + "\t0");
  }
  errno = error;
  return fd;
}

// Records `line` if `code` says that the call succeeded.
int Recorded(int code, const std::string& path, const std::string& line) {
  if (code == 0 && Record().concerns(path)) Record().Add(line);
  return code;
}

int RecordRename(int code, const std::string& from, const std::string& to,
                 unsigned flags) {
  const char* const kind =
      (flags & RENAME_EXCHANGE) != 0 ? "exchange\t" : "rename\t";
  return Recorded(code, to, kind + from + '\t' + to);
}

int RecordCreated(int code, const std::string& path) {
  if (code == 0 && Record().concerns(path)) Record().AddCreated(path);
  return code;
}

int RecordLink(int code, const std::string& to) {
  struct stat info;
  if (code != 0 || lstat(to.c_str(), &info) != 0) return code;
  return Recorded(code, to, "link\t" + std::to_string(info.st_ino) + '\t' + to);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming, cert-dcl50-cpp)
extern "C" {

ZPACK_REPLACE_OPEN(open, OpenRecorded)
ZPACK_REPLACE_OPEN(open64, OpenRecorded)
ZPACK_REPLACE_OPENAT(openat, OpenRecorded)
ZPACK_REPLACE_OPENAT(openat64, OpenRecorded)

ssize_t write(int fd, const void* bytes, size_t size) {
  static auto* const next = Next(write, "write");
  const ssize_t done = next(fd, bytes, size);
  if (done > 0 && IsConcerned(fd)) {
    // The offset after the write, also of a file that is open for appending.
    Record().AddWrite(fd, bytes, static_cast<size_t>(done),
                      lseek(fd, 0, SEEK_CUR) - done);
  }
  return done;
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  static auto* const next = Next(writev, "writev");
  const ssize_t done = next(fd, parts, count);
  if (done <= 0 || !IsConcerned(fd)) return done;
  std::string bytes;
  for (int part = 0; part < count; ++part) {
    bytes.append(static_cast<const char*>(parts[part].iov_base),
                 parts[part].iov_len);
  }
  Record().AddWrite(fd, bytes.data(), static_cast<size_t>(done),
                    lseek(fd, 0, SEEK_CUR) - done);
  return done;
}

#define ZPACK_PWRITE(name, Offset)                                      \
  ssize_t name(int fd, const void* bytes, size_t size, Offset offset) { \
    static auto* const next = Next(name, #name);                        \
    const ssize_t done = next(fd, bytes, size, offset);                 \
    if (done > 0 && IsConcerned(fd)) {                                  \
      Record().AddWrite(fd, bytes, static_cast<size_t>(done), offset);  \
    }                                                                   \
    return done;                                                        \
  }
ZPACK_PWRITE(pwrite, off_t)
ZPACK_PWRITE(pwrite64, off64_t)

#define ZPACK_TRUNCATE(name, Offset)                         \
  int name(int fd, Offset size) noexcept {                   \
    static auto* const next = Next(name, #name);             \
    const int code = next(fd, size);                         \
    if (code == 0 && IsConcerned(fd)) {                      \
      Record().Add("resize\t" + Recorder::Inode(fd) + '\t' + \
                   std::to_string(size));                    \
    }                                                        \
    return code;                                             \
  }
ZPACK_TRUNCATE(ftruncate, off_t)
ZPACK_TRUNCATE(ftruncate64, off64_t)

#define ZPACK_SYNC(name)                                    \
  int name(int fd) {                                        \
    static auto* const next = Next(name, #name);            \
    const int code = next(fd);                              \
    if (code == 0 && IsConcerned(fd)) Record().AddSync(fd); \
    return code;                                            \
  }
ZPACK_SYNC(fsync)
ZPACK_SYNC(fdatasync)

int syncfs(int fd) noexcept {
  static auto* const next = Next(syncfs, "syncfs");
  const int code = next(fd);
  if (code == 0) Record().Add("sync-all");  // the files are in one file system
  return code;
}

int rename(const char* from, const char* to) noexcept {
  static auto* const next = Next(rename, "rename");
  return RecordRename(next(from, to), Recorder::PathOf(AT_FDCWD, from),
                      Recorder::PathOf(AT_FDCWD, to), 0);
}

int renameat2(int from_directory, const char* from, int to_directory,
              const char* to, unsigned flags) noexcept {
  static auto* const next = Next(renameat2, "renameat2");
  return RecordRename(next(from_directory, from, to_directory, to, flags),
                      Recorder::PathOf(from_directory, from),
                      Recorder::PathOf(to_directory, to), flags);
}

int link(const char* from, const char* to) noexcept {
  static auto* const next = Next(link, "link");
  return RecordLink(next(from, to), Recorder::PathOf(AT_FDCWD, to));
}

int linkat(int from_directory, const char* from, int to_directory,
           const char* to, int flags) noexcept {
  static auto* const next = Next(linkat, "linkat");
  return RecordLink(next(from_directory, from, to_directory, to, flags),
                    Recorder::PathOf(to_directory, to));
}

int unlink(const char* path) noexcept {
  static auto* const next = Next(unlink, "unlink");
  const std::string full = Recorder::PathOf(AT_FDCWD, path);
  return Recorded(next(path), full, "remove\t" + full);
}

int rmdir(const char* path) noexcept {
  static auto* const next = Next(rmdir, "rmdir");
  const std::string full = Recorder::PathOf(AT_FDCWD, path);
  return Recorded(next(path), full, "remove\t" + full);
}

int remove(const char* path) noexcept {
  static auto* const next = Next(remove, "remove");
  const std::string full = Recorder::PathOf(AT_FDCWD, path);
  return Recorded(next(path), full, "remove\t" + full);
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  static auto* const next = Next(unlinkat, "unlinkat");
  const std::string full = Recorder::PathOf(directory, path);
  return Recorded(next(directory, path, flags), full, "remove\t" + full);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const next = Next(mkdir, "mkdir");
  return RecordCreated(next(path, mode), Recorder::PathOf(AT_FDCWD, path));
}

int mkdirat(int directory, const char* path, mode_t mode) noexcept {
  static auto* const next = Next(mkdirat, "mkdirat");
  return RecordCreated(next(directory, path, mode),
                       Recorder::PathOf(directory, path));
}

#define ZPACK_MAKE_TEMPORARY(name, Result, failed)        \
  Result name(char* path) ZPACK_NOEXCEPT_##name {         \
    static auto* const next = Next(name, #name);          \
    Result const made = next(path);                       \
    if (made != (failed)) {                               \
      RecordCreated(0, Recorder::PathOf(AT_FDCWD, path)); \
    }                                                     \
    return made;                                          \
  }
#define ZPACK_NOEXCEPT_mkstemp
#define ZPACK_NOEXCEPT_mkstemp64
#define ZPACK_NOEXCEPT_mkdtemp noexcept
ZPACK_MAKE_TEMPORARY(mkstemp, int, -1)
ZPACK_MAKE_TEMPORARY(mkstemp64, int, -1)
ZPACK_MAKE_TEMPORARY(mkdtemp, char*, nullptr)

int symlink(const char* target, const char* path) noexcept {
  static auto* const next = Next(symlink, "symlink");
  return RecordCreated(next(target, path), Recorder::PathOf(AT_FDCWD, path));
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming, cert-dcl50-cpp)
