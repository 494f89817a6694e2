// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>

#include "common_options.h"
#include "serve/serve_command.h"
#include "serve/served_root.h"
#include "serve/ssh_command.h"

namespace zpack::cli {
namespace shell_command {
namespace {

void AddOptions(po::options_description& options) {
  const auto text = [](const char* name) {
    return po::value<std::string>()->value_name(name);
  };
  options.add_options()("root", text("<directory>"),
                        "serve the .zpack files below this directory")(
      "command,c", text("<command>"),
      "the command of the client; default: $SSH_ORIGINAL_COMMAND");
  AddServeOptions(options);
}

Result<std::string> CommandOf(const po::variables_map& values) {
  if (Has(values, "command")) return Text(values, "command");
  const char* const sent = getenv("SSH_ORIGINAL_COMMAND");
  if (sent != nullptr && *sent != '\0') return sent;
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument,
            "interactive shell is not available: only 'git fetch' and 'git "
            "clone' are served"});
}

int Run(const po::variables_map& values, const Io& io) {
  const ServeLimits limits = ServeLimitsOf(values, io);
  if (!Has(values, "root")) throw UsageError{"missing --root"};
  const auto command = CommandOf(values);
  if (!command) return Fail(io, command.error());
  const auto path = PathOfUploadPack(*command);
  if (!path) return Fail(io, path.error());
  const auto root = ServedRoot::Open(Text(values, "root"));
  if (!root) return Fail(io, root.error());
  const auto file = root->Find(*path);
  if (!file) return Fail(io, file.error());
  return ServeStandardStreams(
      {.path = *file, .root = &*root, .protocol = ProtocolFromEnvironment()},
      limits, io);
}

}  // namespace
}  // namespace shell_command

const Command kShellCommand = {
    "shell",
    "Serve the .zpack files below a directory over SSH",
    "--root <directory> [--timeout=<n>] [-c <command>]",
    {},
    0,
    LastArgument::kOnce,
    {},
    false,
    shell_command::AddOptions,
    shell_command::Run};

}  // namespace zpack::cli
