// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file system in which one chosen call fails. Everything else goes to the
// real one, but nothing is synced, since no test cuts the power.
// Thread-compatible.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/file.h"
#include "zpack/result.h"

namespace zpack::testing {

class FaultFileSystem final : public FileSystem {
 public:
  // How the chosen call fails.
  enum class Fault {
    kError,       // nothing happens, EIO
    kShortWrite,  // a write stores half of its bytes, then ENOSPC
    kKill,        // the same, and nothing happens from then on, as if the
                  // process were gone
  };

  // Fails call number `fail_at`, counting from 0; a negative one fails none.
  FaultFileSystem(int fail_at, Fault fault)
      : fail_at_(fail_at), fault_(fault) {}

  // What others do right before each call, which is named as in failed().
  using Meanwhile =
      std::function<void(const std::string& what, const std::string& path)>;
  void set_meanwhile(Meanwhile meanwhile) { meanwhile_ = std::move(meanwhile); }

  // Calls so far that could have failed.
  int calls() const { return calls_; }
  // Those of one kind, e.g. "fsync".
  int calls(const std::string& what) const {
    const auto at = by_kind_.find(what);
    return at == by_kind_.end() ? 0 : at->second;
  }
  // The call that failed, e.g. "fsync", or empty.
  const std::string& failed() const { return failed_; }

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(
      const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> CreateLocked(
      const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> OpenLocked(
      const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) override;
  Status MakeDirectory(const std::string& path, unsigned mode) override;
  Status Rename(const std::string& from, const std::string& to,
                Replace replace) override;
  Status SetMode(const std::string& path, unsigned mode) override;
  Status SetModified(const std::string& path, int64_t seconds) override;
  Status SyncDirectory(const std::string& path) override;
  Status SyncFileSystem(const std::string& path) override;
  // These never fail: cleaning up is what the tests look at.
  Status Remove(const std::string& path) override;
  Status RemoveTree(const std::string& path) override;

  // Counts one call; the error to return when it is the chosen one.
  Status Call(const std::string& what, const std::string& path);
  Fault fault() const { return fault_; }
  // True when nothing happens any more.
  bool gone() const { return gone_; }

 private:
  int fail_at_;
  Fault fault_;
  int calls_ = 0;
  std::map<std::string, int> by_kind_;
  bool gone_ = false;
  std::string failed_;
  Meanwhile meanwhile_;
};

}  // namespace zpack::testing
