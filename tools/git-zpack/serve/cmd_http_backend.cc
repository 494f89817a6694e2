// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <unistd.h>

#include <expected>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "common_options.h"
#include "fd_streams.h"
#include "serve/cgi_request.h"
#include "serve/cgi_response.h"
#include "serve/http_route.h"
#include "serve/serve_command.h"
#include "serve/served_root.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace http_backend_command {
namespace {

constexpr std::string_view kService = "git-upload-pack";
constexpr std::string_view kRequestType =
    "application/x-git-upload-pack-request";
constexpr std::string_view kResultType = "application/x-git-upload-pack-result";
constexpr std::string_view kAdvertisementType =
    "application/x-git-upload-pack-advertisement";
// A line and a flush, before an advertisement of protocol version 0 or 1.
constexpr std::string_view kServiceLine = "001e# service=git-upload-pack\n0000";

template <typename T>
using Answer = std::expected<T, HttpError>;

std::string Quoted(std::string_view name) {
  return QuoteName(name, kMaxNameInMessage);
}

// The status of an error that is known before anything is sent.
int StatusOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    default:
      return 500;
  }
}

Answer<HttpRoute> FindRoute(const CgiRequest& request) {
  const auto route = RouteOf(request.path);
  if (!route) {
    return std::unexpected(HttpError{
        404, fmt::format("request not supported: '{}'", Quoted(request.path))});
  }
  const std::string_view methods = MethodsOf(route->action);
  // A HEAD is a GET without the body of the answer.
  if ((request.method == "HEAD" ? "GET" : request.method) ==
      methods.substr(0, methods.find(','))) {
    return *route;
  }
  return std::unexpected(
      HttpError{405,
                fmt::format("method '{}' is not allowed for '{}'",
                            Quoted(request.method), Quoted(request.path)),
                fmt::format("Allow: {}\r\n", methods)});
}

Answer<std::string> FindFile(const ServedRoot& root, const HttpRoute& route) {
  auto file = root.Find(route.repository);
  if (file) return std::move(*file);
  return std::unexpected(
      HttpError{StatusOf(file.error()), file.error().message});
}

// Checks that the request asks for something that a .zpack file has.
Answer<void> CheckService(const CgiRequest& request, const HttpRoute& route) {
  const auto refuse = [](std::string reason) {
    return std::unexpected(HttpError{403, std::move(reason)});
  };
  switch (route.action) {
    case HttpAction::kUploadPack:
      return {};
    case HttpAction::kOtherService:
      return refuse(
          fmt::format("service not enabled: '{}'", Quoted(request.path)));
    case HttpAction::kFile:
      return refuse("the dumb HTTP protocol is not supported");
    case HttpAction::kInfoRefs:
      break;
  }
  if (!request.service) {
    return refuse("the dumb HTTP protocol is not supported");
  }
  if (*request.service == kService) return {};
  const std::string reason =
      fmt::format("service not enabled: '{}'", Quoted(*request.service));
  if (*request.service != "git-receive-pack" || request.method == "HEAD") {
    return refuse(reason);
  }
  // 'git push' prints the body.
  return std::unexpected(
      HttpError{403, reason, {}, "a .zpack file is read-only: cannot push\n"});
}

// Checks what the request says of its body.
Answer<void> CheckBody(const CgiRequest& request) {
  if (request.content_type != kRequestType) {
    const std::string reason = fmt::format(
        "Expected POST with Content-Type '{}', but received '{}' instead.\n",
        kRequestType, Quoted(request.content_type));
    return std::unexpected(
        HttpError{415, "unexpected content type", {}, reason});
  }
  if (request.encoding == ContentEncoding::kUnknown) {
    return std::unexpected(HttpError{415, "unknown content encoding",
                                     "Accept-Encoding: gzip\r\n"});
  }
  return {};
}

// Prints the answer and its reason. A request that is refused is not a failure
// of this program.
int Refuse(const HttpError& error, const ServeLimits& limits, const Io& io) {
  io.err << "fatal: " << EscapeUnprintable(error.reason) << '\n';
  FdOutput output(STDOUT_FILENO, limits.timeout);
  const std::string text = Format(error);
  const Status sent = output.Write(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return sent ? kDone : Fail(io, sent.error());
}

int Answered(const Status& served, const PrefixedOutput& output,
             const ServeLimits& limits, const Io& io) {
  if (served) return kDone;
  if (output.begun()) return Fail(io, served.error());
  // The file is there: what is not found is a file that it depends on.
  const bool lacks = served.error().code == ErrorCode::kNotFound;
  const int status = lacks ? 500 : StatusOf(served.error());
  return Refuse({status, served.error().message}, limits, io);
}

// A HEAD is answered as a GET, without the body.
class NoOutput final : public ServeOutput {
 public:
  Status Write(std::span<const uint8_t> /*bytes*/) override { return {}; }
};

int SendRefs(const CgiRequest& request, ServeRequest serve,
             const ServeLimits& limits, const Io& io) {
  std::string prefix = SuccessHeader(kAdvertisementType);
  if (request.protocol != ServeProtocol::kV2 && request.method != "HEAD") {
    prefix += kServiceLine;
  }
  FdInput input(STDIN_FILENO, limits.timeout);
  FdOutput raw(STDOUT_FILENO, limits.timeout);
  PrefixedOutput output(raw, std::move(prefix));
  serve.exchange = Exchange::kAdvertisement;
  if (request.method == "HEAD") {
    NoOutput body;
    Status served = Serve(serve, limits.run, input, body);
    if (served) served = output.Begin();
    return Answered(served, output, limits, io);
  }
  return Answered(Serve(serve, limits.run, input, output), output, limits, io);
}

int AnswerPost(const CgiRequest& request, ServeRequest serve,
               const ServeLimits& limits, const Io& io) {
  FdInput raw_input(STDIN_FILENO, limits.timeout);
  LimitedInput limited(raw_input, request.content_length.value_or(0));
  ServeInput* input = &raw_input;
  if (request.content_length) input = &limited;
  std::unique_ptr<ServeInput> unpacked;
  if (request.encoding == ContentEncoding::kGzip) {
    unpacked = Gunzip(*input);
    input = unpacked.get();
  }
  FdOutput raw_output(STDOUT_FILENO, limits.timeout);
  PrefixedOutput output(raw_output, SuccessHeader(kResultType));
  serve.exchange = Exchange::kRequest;
  Status served = Serve(serve, limits.run, *input, output);
  // An empty answer is an answer.
  if (served) served = output.Begin();
  return Answered(served, output, limits, io);
}

int Run(const po::variables_map& values, const Io& io) {
  const ServeLimits limits = ServeLimitsOf(values, io);
  const auto request = ReadCgiRequest();
  if (!request) {
    const int status =
        request.error().code == ErrorCode::kInvalidArgument ? 400 : 500;
    return Refuse({status, request.error().message}, limits, io);
  }
  const auto route = FindRoute(*request);
  if (!route) return Refuse(route.error(), limits, io);
  const auto root = ServedRoot::Open(request->root);
  if (!root) return Refuse({500, root.error().message}, limits, io);
  const auto file = FindFile(*root, *route);
  if (!file) return Refuse(file.error(), limits, io);
  const auto service = CheckService(*request, *route);
  if (!service) return Refuse(service.error(), limits, io);
  const ServeRequest serve = {
      .path = *file, .root = &*root, .protocol = request->protocol};
  if (route->action == HttpAction::kInfoRefs) {
    return SendRefs(*request, serve, limits, io);
  }
  const auto body = CheckBody(*request);
  if (!body) return Refuse(body.error(), limits, io);
  return AnswerPost(*request, serve, limits, io);
}

}  // namespace
}  // namespace http_backend_command

const Command kHttpBackendCommand = {
    "http-backend",
    "Serve .zpack files over HTTP, as a CGI program of a web server",
    "[--timeout=<n>]",
    {},
    0,
    LastArgument::kOnce,
    {},
    false,
    AddServeOptions,
    http_backend_command::Run};

}  // namespace zpack::cli
