// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuse_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "fuse_requests.h"
#include "zpack/quote.h"

namespace zpack::mount {
namespace {

MountLog* log_of_libfuse = nullptr;

// Passes messages of libfuse on, which end in a line feed.
[[gnu::format(printf, 2, 0)]] void LogOfLibfuse(fuse_log_level level,
                                                const char* format,
                                                va_list arguments) {
  if (level > FUSE_LOG_WARNING || log_of_libfuse == nullptr) return;
  std::array<char, 1024> text{};
  vsnprintf(text.data(), text.size(), format, arguments);
  std::string_view line = text.data();
  while (line.ends_with('\n')) line.remove_suffix(1);
  log_of_libfuse->Write(EscapeUnprintable(line));
}

// A value of an option of libfuse: commas would end it.
std::string Escaped(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == ',' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Error MountError(std::string_view what, const std::string& directory) {
  return {ErrorCode::kIo,
          fmt::format("cannot {} '{}'", what, QuoteName(directory)),
          {},
          directory};
}

}  // namespace

struct FuseServer::State {
  State(const ArchiveReader& reader, MountLog& log) : file(reader, log) {}

  MountedFile file;
  fuse_session* session = nullptr;
  std::string directory;
};

FuseServer::FuseServer(const ArchiveReader& reader, MountLog& log)
    : state_(std::make_unique<State>(reader, log)) {
  log_of_libfuse = &log;
  fuse_set_log_func(LogOfLibfuse);
}

FuseServer::~FuseServer() {
  if (state_->session != nullptr) {
    fuse_remove_signal_handlers(state_->session);
    fuse_session_unmount(state_->session);
    fuse_session_destroy(state_->session);
  }
  log_of_libfuse = nullptr;
}

Status FuseServer::Mount(const MountPoint& point) {
  state_->directory = point.directory;
  state_->file.file_size = point.file_size;
  state_->file.user = getuid();
  state_->file.group = getgid();
  std::string options =
      fmt::format("ro,nosuid,nodev,default_permissions,subtype=zpack,fsname={}",
                  Escaped(point.source));
  if (point.allow_other == AllowOther::kYes) options += ",allow_other";
  std::string program = "git-zpack-mount";
  std::string flag = "-o";
  std::array<char*, 4> words = {program.data(), flag.data(), options.data(),
                                nullptr};
  fuse_args arguments = FUSE_ARGS_INIT(3, words.data());
  state_->session = fuse_session_new(&arguments, &FuseOperations(),
                                     sizeof(FuseOperations()), &state_->file);
  fuse_opt_free_args(&arguments);  // libfuse has replaced them
  if (state_->session == nullptr) {
    return std::unexpected(MountError("prepare to mount", point.directory));
  }
  if (fuse_set_signal_handlers(state_->session) != 0 ||
      fuse_session_mount(state_->session, point.directory.c_str()) != 0) {
    fuse_session_destroy(std::exchange(state_->session, nullptr));
    return std::unexpected(MountError("mount on", point.directory));
  }
  return {};
}

Status FuseServer::Serve(std::function<void()> ready) {
  state_->file.ready = std::move(ready);
  fuse_loop_config* const config = fuse_loop_cfg_create();
  const int ended = fuse_session_loop_mt(state_->session, config);
  fuse_loop_cfg_destroy(config);
  // A positive number is the signal that asked to end.
  if (ended >= 0) return {};
  return std::unexpected(MountError("serve", state_->directory));
}

}  // namespace zpack::mount
