// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The program that 'git zpack mount' runs. Its command line is that of the
// command.

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "background.h"
#include "cli.h"
#include "common_options.h"
#include "fuse_server.h"
#include "mount_log.h"
#include "standard_streams.h"
#include "zpack/process.h"
#include "zpack/quote.h"

namespace zpack::mount {
namespace {

Result<std::string> AbsoluteDirectory(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> absolute(
      realpath(path.c_str(), nullptr), free);
  struct stat attributes{};
  if (!absolute || stat(absolute.get(), &attributes) != 0) {
    // The rest of a mount whose program was killed.
    const char* const hint =
        errno == ENOTCONN ? "; unmount it with 'fusermount3 -u'" : "";
    return std::unexpected(
        Error{errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
              fmt::format("cannot use '{}': {}{}", QuoteName(path),
                          strerror(errno), hint),
              {},
              path});
  }
  if (!S_ISDIR(attributes.st_mode)) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument,
              fmt::format("not a directory: '{}'", QuoteName(path)),
              {},
              path});
  }
  return std::string(absolute.get());
}

// 0 for a file on a server.
uint64_t SizeOfFile(const std::string& path) {
  struct stat attributes{};
  return stat(path.c_str(), &attributes) == 0 && attributes.st_size > 0
             ? static_cast<uint64_t>(attributes.st_size)
             : 0;
}

Status MountAndServe(const cli::po::variables_map& values, const cli::Io& io,
                     Background& background) {
  const auto directory = AbsoluteDirectory(cli::Text(values, "directory"));
  if (!directory) return std::unexpected(directory.error());
  MountLog log;
  if (values.contains("log")) {
    if (Status used = log.UseFile(cli::Text(values, "log")); !used) return used;
  }
  const std::string file = cli::FileToRead(values);
  const cli::ReadContext context(values, io);
  const auto reader = ArchiveReader::Open(file, context.options());
  if (!reader) return std::unexpected(reader.error());
  FuseServer server(**reader, log);
  const Status mounted = server.Mount(
      {.directory = *directory,
       .source = QuoteName(NameWithoutSecrets(file)),
       .file_size = SizeOfFile(file),
       .allow_other = values.contains("allow-other") ? AllowOther::kYes
                                                     : AllowOther::kNo});
  if (!mounted) return mounted;
  return server.Serve([&] {
    if (values.contains("foreground")) return;
    log.LeaveStandardError();
    background.Ready();
  });
}

int Run(const cli::po::variables_map& values, const cli::Io& io) {
  Background background;
  if (!values.contains("foreground")) {
    if (const auto code = background.Start()) return *code;
  }
  const Status served = MountAndServe(values, io, background);
  return served ? cli::kDone : cli::Fail(io, served.error());
}

}  // namespace
}  // namespace zpack::mount

int main(int argc, char** argv) {
  zpack::cli::OpenStandardStreams();
  zpack::cli::RestoreSigpipe();
  zpack::OwnLibraries();
  // A log that grows beyond RLIMIT_FSIZE is an error of write(2).
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    zpack::cli::Command command = zpack::cli::kMountCommand;
    command.run = zpack::mount::Run;
    return zpack::cli::RunCommand(
        command, std::vector<std::string>(argv + 1, argv + argc),
        {std::cin, std::cout, std::cerr, isatty(STDERR_FILENO) == 1});
  } catch (const std::exception&) {
    std::fputs("fatal: out of memory\n", stderr);
  }
  return zpack::cli::kFailed;
}
