// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A web server on this machine that does what a test wants, right or wrong.
// Destruction ends its threads.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zpack::testing {

struct HttpServerRequest {
  size_t number = 0;  // requests before this one
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  // 'Range: bytes=a-b' as [a, b + 1).
  std::optional<std::pair<uint64_t, uint64_t>> range;
};

struct HttpServerReply {
  int status = 200;
  std::vector<std::string> headers = {};  // 'Content-Length' is added
  std::string body = {};
  // The connection closes after that many bytes of the body.
  std::optional<size_t> close_after = std::nullopt;
};

class HttpServer {
 public:
  // Called by several threads.
  using Handler = std::function<HttpServerReply(const HttpServerRequest&)>;

  explicit HttpServer(Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string Url(const std::string& path = "/x.zpack") const;
  size_t requests() const { return requests_; }
  // Bytes of bodies that were sent.
  uint64_t sent() const { return sent_; }

 private:
  void Accept();
  void Converse(int connection);
  bool Answer(int connection, const std::string& head);

  Handler handler_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<size_t> requests_ = 0;
  std::atomic<uint64_t> sent_ = 0;
  std::mutex mutex_;
  bool stopping_ = false;              // guarded by mutex_
  std::set<int> connections_;          // guarded by mutex_
  std::vector<std::thread> speakers_;  // guarded by mutex_
  std::thread acceptor_;
};

// What a correct server replies that has `content` with this entity tag.
HttpServerReply ReplyWithRange(const HttpServerRequest& request,
                               const std::string& content,
                               const std::string& etag = "\"1\"");

}  // namespace zpack::testing
