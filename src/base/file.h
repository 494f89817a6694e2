// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface between the library and the file system. The library writes all
// results through FileSystem, so that tests can make any single call fail.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

// An open file that is read at given offsets. May be used from several threads.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  // Fills `out` with the bytes at `offset`. kIo if the read fails; kCorrupt if
  // the file ends before `out` is full.
  virtual Status Read(uint64_t offset, std::span<uint8_t> out) const = 0;
  // Says that [begin, end) will be read soon. A file that is far away begins to
  // load these bytes.
  virtual void Prefetch(uint64_t begin, uint64_t end) const;
  // Whether it is, so that bytes that are read in vain cost time.
  virtual bool is_far_away() const { return false; }
  // Drops what is kept of [begin, end), which is damaged: reads then get these
  // bytes from where the file is. Whether they can be others: false for a file
  // of which nothing was kept before it was opened.
  virtual bool Forget(uint64_t begin, uint64_t end) const;
  virtual uint64_t size() const = 0;
  virtual const std::string& path() const = 0;
  // Opens the file `name`, a path relative to the same directory. kNotFound if
  // there is none, or if the file is in no directory; else as
  // FileSystem::OpenForRead.
  virtual Result<std::unique_ptr<RandomAccessFile>> OpenBeside(
      const std::string& name) const;
};

// An open file that is written from front to end. Thread-compatible. Errors are
// kIo and name the path.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Append(ByteView bytes) = 0;
  // Overwrites bytes that were appended before.
  virtual Status WriteAt(uint64_t offset, ByteView bytes) = 0;
  // Returns after the content has reached the disk. Also asks the kernel to
  // drop the file from its page cache, so that a later read comes from the
  // disk.
  virtual Status Sync() = 0;
  // Cuts the file off after `size` bytes. The next Append continues there.
  virtual Status Truncate(uint64_t size) = 0;
  // Bytes in the file.
  virtual uint64_t size() const = 0;
  virtual const std::string& path() const = 0;
};

// What Rename does if the new name exists: fail, replace it, or exchange the
// two names.
enum class Replace : uint8_t { kNo, kYes, kExchange };

// The file system that the library writes to. May be used from several threads.
// Errors are kIo and name the path, unless a function says otherwise.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // kNotFound if there is no such file; kInvalidArgument if it is not a regular
  // file.
  virtual Result<std::unique_ptr<RandomAccessFile>> OpenForRead(
      const std::string& path) = 0;
  // Creates an empty temporary file that only its owner may write, and locks it
  // exclusively until it is closed. An existing regular file that no process
  // has locked is replaced: a killed process or an attacker may have left it.
  //
  // Errors: kExists if another process has locked the file, or may have locked
  // it, because the file system has no locks, or because the file belongs to
  // another user and cannot be opened; kInvalidArgument if `path` is something
  // other than a regular file.
  virtual Result<std::unique_ptr<WritableFile>> CreateLocked(
      const std::string& path) = 0;
  // As CreateLocked, but only the owner may read the file, and an existing file
  // keeps its content. The content is dropped if the file belongs to another
  // user, if other users may write it, or if it has a second name.
  virtual Result<std::unique_ptr<WritableFile>> OpenLocked(
      const std::string& path) = 0;
  // Creates an empty file. kExists if `path` exists.
  virtual Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) = 0;
  // Makes a directory with `mode` minus the bits of the umask. kExists if
  // `path` exists.
  virtual Status MakeDirectory(const std::string& path, unsigned mode) = 0;
  // Renames a file or directory.
  // - kNo: kExists if `to` exists; but a directory may replace an empty
  //   directory.
  // - kYes: kExists if both are directories and `to` is not empty.
  // - kExchange: kUnsupported if the file system cannot exchange names.
  virtual Status Rename(const std::string& from, const std::string& to,
                        Replace replace) = 0;
  // Sets the permission bits of a file or directory that this process made. If
  // the file system does not support them, the call succeeds without effect.
  virtual Status SetMode(const std::string& path, unsigned mode) = 0;
  // Sets the modification time, in seconds since 1970.
  virtual Status SetModified(const std::string& path, int64_t seconds) = 0;
  virtual Status SyncDirectory(const std::string& path) = 0;
  // Syncs the whole file system that holds the directory `path`.
  virtual Status SyncFileSystem(const std::string& path) = 0;
  virtual Status Remove(const std::string& path) = 0;
  // Removes `path` and everything in it, including the content of directories
  // of this user that lack write permission. Symbolic links are removed, not
  // followed. If nothing has that name, the call succeeds.
  virtual Status RemoveTree(const std::string& path) = 0;
};

// The file system of the operating system. Never deleted.
FileSystem& PosixFileSystem();

// Syncs `directory` after `path` was renamed to its final name in it.
// kNotDurable if the sync fails.
Status SyncPublished(FileSystem& file_system, const std::string& directory,
                     const std::string& path);

// The directory of `path`: everything before the last slash; "/" for a name in
// the root directory; "." if there is no slash.
std::string DirectoryOf(const std::string& path);
// The part of `path` after the last slash.
std::string FileNameOf(const std::string& path);

// The content of a file of at most `limit` bytes. kLimitExceeded if the file is
// larger; other errors as OpenForRead and Read.
Result<Bytes> ReadWholeFile(FileSystem& file_system, const std::string& path,
                            uint64_t limit);

}  // namespace zpack
