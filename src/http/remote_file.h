// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A file on an HTTP server, whose ranges are fetched. Tries again what another
// try may cure, continues where a transfer broke, and refuses a file that
// changes. Any number of threads may fetch at the same time.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/bytes.h"
#include "http/http_client.h"
#include "zpack/result.h"

namespace zpack {

// Tests shorten the waits.
struct HttpSettings {
  HttpTimeouts timeouts;
  // Tries without progress before a fetch fails.
  unsigned max_tries = 6;
  // The wait before the second try. Each further wait is twice as long.
  std::chrono::milliseconds first_wait{250};
  // A server that asks for a longer wait (Retry-After) is an error.
  std::chrono::seconds max_wait{60};
};

class RemoteFile {
 public:
  // Takes the next bytes of a range.
  using Take = std::function<Status(ByteView)>;

  // The first request of a file.
  struct Opened {
    std::unique_ptr<RemoteFile> file;
    Bytes start;  // the first bytes of the file
    // The server sends files only as a whole. The file has no size, and only
    // FetchWhole may be called.
    bool whole_only = false;
  };

  // Fetches the first `start_size` bytes of a file, or all of a shorter file,
  // which tells the size of the file.
  //
  // Errors: kNotFound if there is no such file; kIo; kInterrupted.
  static Result<Opened> Open(const std::string& url,
                             const HttpSettings& settings, uint64_t start_size,
                             const std::stop_token& stop);

  // The URL as messages show it.
  const std::string& name() const { return name_; }
  uint64_t size() const { return identity_->size; }
  // A text that differs for another file or another version of the file. Empty
  // if the server tells no versions apart.
  std::string Version() const;

  // Fetches `range`, and calls `take` with its bytes, in order.
  //
  // Errors: those of `take`; kIo if the server or the connection fails, or if
  // the file has changed; kInterrupted.
  Status Fetch(ByteRange range, const std::stop_token& stop,
               const Take& take) const;

  // Fetches the whole file with one request. A transfer that breaks begins
  // again, after a call of `restart`. Errors are those of Fetch.
  Status FetchWhole(const std::stop_token& stop,
                    const std::function<Status()>& restart,
                    const Take& take) const;

 private:
  class Attempt;
  class Patience;

  struct Identity {
    uint64_t size = 0;
    std::string etag;
    std::string last_modified;
  };

  RemoteFile(std::string url, const HttpSettings& settings);

  // The error of a reply that no other try would cure, or success.
  Status CheckReply(const HttpReply& reply, uint64_t offset) const;
  // Whether the reply is of the file that was opened.
  Status CheckIdentity(const ReplyHead& head, uint64_t offset) const;
  // The header that makes the server refuse another version.
  std::string Condition() const;
  std::unexpected<Error> Fail(ErrorCode code, uint64_t offset,
                              const std::string& why) const;

  std::string url_;
  std::string name_;
  HttpSettings settings_;
  std::unique_ptr<HttpClient> client_;
  std::optional<Identity> identity_;  // set by Open
};

}  // namespace zpack
