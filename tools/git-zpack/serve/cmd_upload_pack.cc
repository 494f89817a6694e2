// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "common_options.h"
#include "serve/fetch_nesting.h"
#include "serve/serve_command.h"
#include "serve/served_file.h"

namespace zpack::cli {
namespace upload_pack_command {
namespace {

void AddOptions(po::options_description& options) {
  options.add_options()(
      "strict",
      "use <file> exactly as given: do not add '.zpack', do not "
      "expand '~'")("no-strict", "the opposite of --strict; default")(
      "stateless-rpc", "answer one request and end")(
      "advertise-refs",
      "send the refs, or with protocol version 2 the "
      "capabilities, and end")("http-backend-info-refs", "the same");
  AddServeOptions(options);
}

Exchange ExchangeOf(const po::variables_map& values) {
  if (Has(values, "advertise-refs") || Has(values, "http-backend-info-refs")) {
    return Exchange::kAdvertisement;
  }
  return Has(values, "stateless-rpc") ? Exchange::kRequest
                                      : Exchange::kConnection;
}

int Run(const po::variables_map& values, const Io& io) {
  const ServeLimits limits = ServeLimitsOf(values, io);
  const bool strict = Has(values, "strict");
  if (strict && Has(values, "no-strict")) {
    throw UsageError{"--strict and --no-strict exclude each other"};
  }
  if (const Status nesting = CheckFetchNesting(); !nesting) {
    return Fail(io, nesting.error());
  }
  ServeRequest request;
  request.path = Text(values, "file");
  if (!strict) {
    auto found = FindServedFile(request.path);
    if (!found) return Fail(io, found.error());
    request.path = std::move(*found);
  }
  request.protocol = ProtocolFromEnvironment();
  request.exchange = ExchangeOf(values);
  return ServeStandardStreams(request, limits, io);
}

}  // namespace
}  // namespace upload_pack_command

const Command kUploadPackCommand = {
    "upload-pack",
    "Serve a .zpack file to 'git fetch' and 'git clone'",
    "[--[no-]strict] [--timeout=<n>] [--stateless-rpc]\n"
    "                 [--advertise-refs | --http-backend-info-refs] <file>",
    {"file"},
    0,
    LastArgument::kOnce,
    {},
    false,
    upload_pack_command::AddOptions,
    upload_pack_command::Run};

}  // namespace zpack::cli
