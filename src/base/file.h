// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The seam between the library and the file system. Everything that writes a
// result goes through FileSystem, so that tests can make any single call fail.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack {

// An open file that is read at offsets. May be used from several threads.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  // Fills `out` from `offset`. kIo when the system refuses, kCorrupt when the
  // file ends first.
  virtual Status Read(uint64_t offset, std::span<uint8_t> out) const = 0;
  virtual uint64_t size() const = 0;
  virtual const std::string& path() const = 0;
};

// An open file that is written front to back. Thread-compatible. Errors are
// kIo and name the path.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Append(ByteView bytes) = 0;
  // Overwrites bytes that were appended before.
  virtual Status WriteAt(uint64_t offset, ByteView bytes) = 0;
  // Returns once the content has reached the disk, and asks the system to
  // forget its cached copy, so that reading back really reads.
  virtual Status Sync() = 0;
  // Cuts the file off after `size` bytes, where the next Append continues.
  virtual Status Truncate(uint64_t size) = 0;
  // Bytes in the file.
  virtual uint64_t size() const = 0;
  virtual const std::string& path() const = 0;
};

// What Rename does when the new name is taken: fail, take its place, or give
// it the old name.
enum class Replace : uint8_t { kNo, kYes, kExchange };

// May be used from several threads. Errors are kIo and name the path unless
// said otherwise.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // kNotFound when there is no such file; kInvalidArgument for a directory.
  virtual Result<std::unique_ptr<RandomAccessFile>> OpenForRead(
      const std::string& path) = 0;
  // Creates an empty temporary file that only its owner may write, and holds an
  // exclusive lock on it until it is closed. A regular file of that name that
  // nobody holds, left by a killed process or planted, is replaced. kExists
  // while another process holds it, or may hold it, because the file system has
  // no locks or the file may not be opened; kInvalidArgument when something
  // that is not a regular file is in the way.
  virtual Result<std::unique_ptr<WritableFile>> CreateLocked(
      const std::string& path) = 0;
  // The same, but only the owner may read the file, and what this user left in
  // it stays. The content of a file that anyone else may write, or that has
  // another name, too, does not stay.
  virtual Result<std::unique_ptr<WritableFile>> OpenLocked(
      const std::string& path) = 0;
  // Creates an empty file. kExists when it is already there.
  virtual Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) = 0;
  // Makes a directory with `mode`, less what the umask forbids. kExists when
  // something of that name is already there.
  virtual Status MakeDirectory(const std::string& path, unsigned mode) = 0;
  // Renames a file or directory. With kNo, kExists when `to` is there, but an
  // empty directory may be replaced by a directory; with kYes, kExists when
  // both are directories and `to` is not empty; with kExchange, kUnsupported
  // when the file system cannot do it.
  virtual Status Rename(const std::string& from, const std::string& to,
                        Replace replace) = 0;
  // Sets the permission bits of a file or directory of this process. A file
  // system that has no such bits, or not these, does nothing.
  virtual Status SetMode(const std::string& path, unsigned mode) = 0;
  // Sets the time of the last change, in seconds since 1970.
  virtual Status SetModified(const std::string& path, int64_t seconds) = 0;
  virtual Status SyncDirectory(const std::string& path) = 0;
  // Syncs everything on the file system that holds the directory `path`.
  virtual Status SyncFileSystem(const std::string& path) = 0;
  virtual Status Remove(const std::string& path) = 0;
  // Removes `path` and everything in it, also what this user may not write.
  // Links are removed, not followed. Not an error when nothing is there.
  virtual Status RemoveTree(const std::string& path) = 0;
};

// The real one. Never deleted.
FileSystem& PosixFileSystem();

// Syncs `directory`, in which `path` has just been renamed to its final name.
// kNotDurable if that fails.
Status SyncPublished(FileSystem& file_system, const std::string& directory,
                     const std::string& path);

// The directory that holds `path`: everything before its last slash, or ".".
std::string DirectoryOf(const std::string& path);
// What follows the last slash of `path`.
std::string FileNameOf(const std::string& path);

// The whole content of a file of at most `limit` bytes, kLimitExceeded above.
Result<Bytes> ReadWholeFile(FileSystem& file_system, const std::string& path,
                            uint64_t limit);

}  // namespace zpack
