// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "exec/remote_helper.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <ostream>
#include <string_view>

#include "exec/git_setting.h"
#include "exec/lazy_repository.h"
#include "exec/remote_location.h"
#include "fd_streams.h"
#include "serve/fetch_nesting.h"
#include "serve/serve_command.h"
#include "serve/served_file.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxLine = 4096;

int Die(const Io& io, std::string_view message) {
  io.err << "fatal: " << message << '\n';
  return kFailed;
}

// Reads a line without its line feed; an empty line at the end of the input.
// Reads byte by byte, because what follows the line may belong to the protocol
// of git-upload-pack.
Result<std::string> ReadLine(ServeInput& input) {
  std::string line;
  uint8_t byte = 0;
  while (line.size() < kMaxLine) {
    const auto got = input.Read({&byte, 1});
    if (!got) return std::unexpected(got.error());
    if (*got == 0 || byte == '\n') return line;
    line += static_cast<char>(byte);
  }
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, "a command of Git is too long"});
}

Status Answer(ServeOutput& output, std::string_view text) {
  return output.Write(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

// The version of the protocol that the client wants. Git tells a helper nothing
// about it, so Git's configuration is asked. A client accepts any version.
ServeProtocol WantedProtocol() {
  if (getenv("GIT_PROTOCOL") != nullptr) return ProtocolFromEnvironment();
  const auto version = GitSetting("protocol.version");
  if (version == "0") return ServeProtocol::kV0;
  if (version == "1") return ServeProtocol::kV1;
  return ServeProtocol::kV2;
}

// Returns the error for a path that leads to no file.
int FailToFind(const std::string& path, const Io& io) {
  const std::string name =
      QuoteName(NameWithoutSecrets(path), kMaxNameInMessage);
  std::error_code ignored;
  if (fs::path(path).is_absolute()) {
    return Die(io, fmt::format("'{}' does not exist", name));
  }
  return Die(io, fmt::format("'{}' does not exist in '{}'; an absolute path "
                             "is valid everywhere",
                             name,
                             QuoteName(fs::current_path(ignored).native(),
                                       kMaxNameInMessage)));
}

int Connect(std::string_view service, const std::string& path, const Io& io) {
  if (service == "git-receive-pack") {
    return Die(io, "a .zpack file is read-only: cannot push");
  }
  if (service != "git-upload-pack") {
    return Die(io, fmt::format("a .zpack file has no service '{}'",
                               QuoteName(service, kMaxNameInMessage)));
  }
  const bool is_url = IsUrlOfHttp(path);
  auto found = is_url ? path : FindServedFile(path);
  if (!found) return Fail(io, found.error());
  std::error_code error;
  if (!is_url && !fs::exists(*found, error) && !error) {
    return FailToFind(*found, io);
  }
  const Download download = is_url && GitSetting("zpack.download") == "true"
                                ? Download::kYes
                                : Download::kNo;
  FetchAllIfMany(*found, download, io);
  const ServeProtocol protocol = WantedProtocol();
  FdOutput output(STDOUT_FILENO);
  // An empty line: the connection is established.
  if (const Status answered = Answer(output, "\n"); !answered) {
    return Fail(io, answered.error());
  }
  return ServeStandardStreams(
      {.path = std::move(*found),
       .protocol = protocol,
       .urls = is_url ? AllowUrls::kYes : AllowUrls::kNo,
       .download = download},
      {}, io);
}

// Reads a command before it reports an error in `path`: Git would die of
// SIGPIPE if it wrote its first one to a program that has ended.
int Converse(const Result<std::string>& path, const Io& io) {
  constexpr std::string_view kConnect = "connect ";
  FdInput input(STDIN_FILENO);
  FdOutput output(STDOUT_FILENO);
  while (true) {
    const auto line = ReadLine(input);
    if (!path) return Fail(io, path.error());
    if (!line) return Fail(io, line.error());
    if (line->empty()) return kDone;
    if (line->starts_with(kConnect)) {
      return Connect(std::string_view(*line).substr(kConnect.size()), *path,
                     io);
    }
    if (*line != "capabilities") {
      return Die(io, fmt::format("unknown command '{}' from Git",
                                 QuoteName(*line, kMaxNameInMessage)));
    }
    if (const Status answered = Answer(output, "connect\n\n"); !answered) {
      return Fail(io, answered.error());
    }
  }
}

int Start(const std::vector<std::string>& arguments, const Io& io) {
  constexpr std::string_view kUsageText =
      "usage: git-remote-zpack <remote> <file>\n\n"
      "Git runs this program for addresses such as zpack::<file>:\n"
      "   git clone zpack::<file>\n";
  if (arguments.size() == 1 &&
      (arguments.front() == "-h" || arguments.front() == "--help")) {
    io.out << kUsageText;
    return kDone;
  }
  if (arguments.size() != 2) {
    io.err << kUsageText;
    return kUsage;
  }
  if (const Status nesting = CheckFetchNesting(); !nesting) {
    return Converse(std::unexpected(nesting.error()), io);
  }
  return Converse(PathOfLocation(arguments.back()), io);
}

}  // namespace

int RunRemoteHelper(const std::vector<std::string>& arguments, const Io& io) {
  try {
    return Start(arguments, io);
  } catch (const std::bad_alloc&) {
    io.err << "fatal: out of memory\n";
  } catch (const std::exception& error) {
    io.err << "fatal: " << error.what() << '\n';
  }
  return kFailed;
}

}  // namespace zpack::cli
