// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Sends requests for a range of bytes with libcurl, and hands on what comes
// back. Knows nothing of retries. Any number of threads may use one client;
// each request has a connection of its own, which later requests use again.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/bytes.h"

namespace zpack {

// Bytes [begin, end) of a file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end - begin; }
};

// The value of the header Content-Range.
struct ContentRange {
  std::optional<ByteRange> range;  // not set: 'bytes */size'
  std::optional<uint64_t> size;    // of the file; not set: 'bytes a-b/*'
};

// Parses the value of the header Content-Range.
std::optional<ContentRange> ParseContentRange(std::string_view value);

// Status and headers of a reply. After redirects, those of the last reply.
struct ReplyHead {
  int status = 0;
  std::optional<ContentRange> content_range;
  std::optional<uint64_t> content_length;
  std::string etag;
  std::string last_modified;
  std::string content_encoding;
};

struct HttpRequest {
  std::string url;
  ByteRange range;  // empty: the whole file
  // A header line that makes the server refuse if the file has changed; may be
  // empty.
  std::string condition;
};

struct HttpTimeouts {
  long connect_seconds = 30;
  // A transfer fails if it is slower than 100 bytes per second for this time.
  long stalled_seconds = 30;
};

enum class HttpOutcome : uint8_t {
  kComplete,     // the reply ended as its headers announced
  kRefused,      // `on_head` or `on_body` returned false
  kStopped,      // a stop was requested
  kUnreachable,  // there is no connection
  kBroken,       // the connection failed or broke; another try may succeed
  kFailed,       // another try would fail as well
};

struct HttpReply {
  HttpOutcome outcome = HttpOutcome::kFailed;
  ReplyHead head;                        // status 0: there was no reply
  std::string problem;                   // what libcurl says, if not complete
  std::optional<uint64_t> wait_seconds;  // the header Retry-After
};

// Version of libcurl, such as "7.88.1".
std::string CurlVersion();

class HttpClient {
 public:
  // Called once before the first byte of the body. There is no call if there is
  // no body.
  using OnHead = std::function<bool(const ReplyHead&)>;
  using OnBody = std::function<bool(ByteView)>;

  explicit HttpClient(const HttpTimeouts& timeouts);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Asks for a range of a file. Follows a few redirects, to HTTPS only if the
  // URL is one of HTTPS. Ends within about a second after a stop request.
  HttpReply Get(const HttpRequest& request, const std::stop_token& stop,
                const OnHead& on_head, const OnBody& on_body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zpack
