// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Answers the kernel's questions about an archive that is mounted. One for each
// process. Serve answers from several threads.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "mount_log.h"
#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack::mount {

enum class AllowOther : uint8_t { kNo, kYes };

struct MountPoint {
  std::string directory;  // an absolute path
  std::string source;     // what is shown as the device: the name of the file
  uint64_t file_size = 0;
  AllowOther allow_other = AllowOther::kNo;
};

class FuseServer {
 public:
  // `reader` and `log` must outlive this object.
  FuseServer(const ArchiveReader& reader, MountLog& log);
  ~FuseServer();
  FuseServer(const FuseServer&) = delete;
  FuseServer& operator=(const FuseServer&) = delete;

  // Mounts the archive. Errors: kIo.
  Status Mount(const MountPoint& point);
  // Answers until the directory is unmounted, or until SIGINT, SIGTERM or
  // SIGHUP; then unmounts it. Calls `ready`, in any thread, when the first
  // question was answered. Errors: kIo. REQUIRES: Mount has succeeded.
  Status Serve(std::function<void()> ready);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zpack::mount
