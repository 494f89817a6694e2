// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

HttpServerRequest ParseRequest(std::string_view head) {
  HttpServerRequest request;
  const size_t path = head.find(' ') + 1;
  request.path = head.substr(path, head.find(' ', path) - path);
  size_t at = head.find("\r\n") + 2;
  while (at < head.size()) {
    const size_t end = head.find("\r\n", at);
    const std::string_view line = head.substr(at, end - at);
    at = end + 2;
    const size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    request.headers[name] = line.substr(colon + 2);
  }
  unsigned long long first = 0;
  unsigned long long last = 0;
  const auto range = request.headers.find("range");
  // NOLINTNEXTLINE(cert-err34-c): the two numbers were written by libcurl.
  if (range != request.headers.end() &&
      std::sscanf(range->second.c_str(), "bytes=%llu-%llu", &first, &last) ==
          2) {
    request.range = std::pair(first, last + 1);
  }
  return request;
}

bool SendAll(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  Require(listener_ >= 0 && bind(listener_, any, size) == 0 &&
              listen(listener_, 16) == 0 &&
              getsockname(listener_, any, &size) == 0,
          "cannot listen");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

HttpServer::~HttpServer() {
  std::vector<std::thread> speakers;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    shutdown(listener_, SHUT_RDWR);
    for (const int connection : connections_) shutdown(connection, SHUT_RDWR);
  }
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    speakers.swap(speakers_);
  }
  for (std::thread& speaker : speakers) speaker.join();
  close(listener_);
}

std::string HttpServer::Url(const std::string& path) const {
  return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

void HttpServer::Accept() {
  while (true) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (stopping_ || connection < 0) {
      if (connection >= 0) close(connection);
      return;
    }
    connections_.insert(connection);
    speakers_.emplace_back([this, connection] { Converse(connection); });
  }
}

void HttpServer::Converse(int connection) {
  std::string pending;
  std::string buffer(4096, '\0');
  bool open = true;
  while (open) {
    const size_t end = pending.find("\r\n\r\n");
    if (end != std::string::npos) {
      open = Answer(connection, pending.substr(0, end + 2));
      pending.erase(0, end + 4);
      continue;
    }
    const ssize_t got = recv(connection, buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    pending.append(buffer, 0, static_cast<size_t>(got));
  }
  const std::lock_guard lock(mutex_);
  connections_.erase(connection);
  close(connection);
}

bool HttpServer::Answer(int connection, const std::string& head) {
  HttpServerRequest request = ParseRequest(head);
  request.number = requests_++;
  const HttpServerReply reply = handler_(request);
  std::string text = fmt::format("HTTP/1.1 {} x\r\n", reply.status);
  bool has_size = false;
  for (const std::string& header : reply.headers) {
    has_size = has_size || header.starts_with("Content-Length");
    text += header + "\r\n";
  }
  if (!has_size) {
    text += fmt::format("Content-Length: {}\r\n", reply.body.size());
  }
  const std::string_view body =
      std::string_view(reply.body)
          .substr(0, reply.close_after.value_or(reply.body.size()));
  sent_ += body.size();
  return SendAll(connection, text + "\r\n") && SendAll(connection, body) &&
         !reply.close_after;
}

HttpServerReply ReplyWithRange(const HttpServerRequest& request,
                               const std::string& content,
                               const std::string& etag) {
  HttpServerReply reply;
  reply.headers.push_back("ETag: " + etag);
  const auto wanted = request.headers.find("if-match");
  if (wanted != request.headers.end() && wanted->second != etag) {
    reply.status = 412;
    return reply;
  }
  if (!request.range) {
    reply.body = content;
    return reply;
  }
  const auto [first, asked_end] = *request.range;
  const uint64_t end = std::min<uint64_t>(asked_end, content.size());
  if (first >= end) {
    reply.status = 416;
    reply.headers.push_back(
        fmt::format("Content-Range: bytes */{}", content.size()));
    return reply;
  }
  reply.status = 206;
  reply.headers.push_back(fmt::format("Content-Range: bytes {}-{}/{}", first,
                                      end - 1, content.size()));
  reply.body = content.substr(first, end - first);
  return reply;
}

}  // namespace zpack::testing
