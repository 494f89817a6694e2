// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the programs that serve a file have in common: options, and the call of
// zpack::UploadPack.

#pragma once

#include <chrono>
#include <string>

#include "cli.h"
#include "serve/served_root.h"
#include "zpack/serve.h"

namespace zpack::cli {

// Adds --timeout, --threads and --memory, which ServeLimitsOf reads.
void AddServeOptions(po::options_description& options);

struct ServeLimits {
  RunOptions run;
  std::chrono::seconds timeout{0};  // without data from the client; 0 for none
};

// Throws UsageError if a value is out of range.
ServeLimits ServeLimitsOf(const po::variables_map& values, const Io& io);

// The protocol version that the environment variable GIT_PROTOCOL asks for.
ServeProtocol ProtocolFromEnvironment();

// One exchange with a client.
struct ServeRequest {
  std::string path;
  // Not null: `path` is of ServedRoot::Find, and nothing outside is served.
  const ServedRoot* root = nullptr;
  ServeProtocol protocol = ServeProtocol::kV0;
  Exchange exchange = Exchange::kConnection;
  AllowUrls urls = AllowUrls::kNo;  // for a path that the user has chosen
  Download download = Download::kNo;
};

// Serves a file with the settings from Git's configuration. Returns the errors
// of UploadPack and ReadUploadPackSettings.
Status Serve(const ServeRequest& request, const RunOptions& run,
             ServeInput& input, ServeOutput& output);

// Serves a file over standard input and output, and returns the exit code.
int ServeStandardStreams(const ServeRequest& request, const ServeLimits& limits,
                         const Io& io);

}  // namespace zpack::cli
