// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/serve_command.h"

#include <unistd.h>

#include <cstdlib>

#include "common_options.h"
#include "fd_streams.h"
#include "serve/packet_trace.h"
#include "serve/trace_target.h"

namespace zpack::cli {
namespace {

// A day. Limits the milliseconds that poll(2) is given.
constexpr int64_t kMaxTimeout = 86400;

}  // namespace

void AddServeOptions(po::options_description& options) {
  options.add_options()("timeout", po::value<std::string>()->value_name("<n>"),
                        "end after <n> seconds in which the client sends or "
                        "receives nothing; 0 (default): never");
  AddThreadsOption(options);
  AddMemoryOption(options);
}

ServeLimits ServeLimitsOf(const po::variables_map& values, const Io& io) {
  ServeLimits limits;
  limits.run = ResourcesOf(values);
  limits.run.stop = io.stop;
  limits.timeout =
      std::chrono::seconds(Number(values, "timeout", 0, kMaxTimeout, 0));
  return limits;
}

ServeProtocol ProtocolFromEnvironment() {
  const char* const text = getenv("GIT_PROTOCOL");
  return ParseServeProtocol(text != nullptr ? text : "");
}

Status Serve(const ServeRequest& request, const RunOptions& run,
             ServeInput& input, ServeOutput& output) {
  auto settings = ReadUploadPackSettings();
  if (!settings) return std::unexpected(settings.error());
  UploadPackOptions options;
  options.run = run;
  options.protocol = request.protocol;
  options.exchange = request.exchange;
  options.settings = std::move(*settings);
  options.urls = request.urls;
  options.read.download = request.download;
  if (request.root != nullptr) {
    options.open = [root = request.root](const std::string& path) {
      return root->OpenFile(path);
    };
  }
  TraceTarget trace("GIT_TRACE_PACKET");
  TracedInput traced_input(input, trace);
  TracedOutput traced_output(output, trace);
  Status served =
      trace.wanted()
          ? UploadPack(request.path, options, traced_input, traced_output)
          : UploadPack(request.path, options, input, output);
  if (!served && request.root != nullptr) {
    served.error().message = request.root->WithNames(served.error().message);
  }
  return served;
}

int ServeStandardStreams(const ServeRequest& request, const ServeLimits& limits,
                         const Io& io) {
  FdInput input(STDIN_FILENO, limits.timeout);
  FdOutput output(STDOUT_FILENO, limits.timeout);
  const Status served = Serve(request, limits.run, input, output);
  return served ? kDone : Fail(io, served.error());
}

}  // namespace zpack::cli
