// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "http/remote_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "zpack/quote.h"

namespace zpack {
namespace {

constexpr int kOk = 200;
constexpr int kPartial = 206;
constexpr int kPreconditionFailed = 412;
constexpr int kRangeNotSatisfiable = 416;

constexpr const char* kChanged = "the file changed while it was read";
constexpr const char* kNoRanges = "the server does not send parts of the file";

// Bytes of progress that pay for one more try.
constexpr uint64_t kProgressPerTry = 1024;

// Whether the server may answer otherwise soon.
bool IsPassingStatus(int status) {
  return status == 408 || status == 429 || status == 500 || status == 502 ||
         status == 503 || status == 504;
}

// An entity tag that stands for equal bytes.
bool IsStrong(const std::string& etag) { return etag.starts_with('"'); }

// Returns false if a stop was requested meanwhile.
bool Wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

std::string WhyRefused(int status) {
  switch (status) {
    case 401:
      return "the server asks for a name and password (401)";
    case 403:
      return "the server forbids it (403)";
    case 407:
      return "the proxy asks for a name and password (407)";
    default:
      return fmt::format("the server answered with status {}", status);
  }
}

}  // namespace

// Counts the tries of one fetch.
class RemoteFile::Patience {
 public:
  Patience(const RemoteFile& file, const std::stop_token& stop)
      : file_(file), stop_(stop) {}

  // Call after a try that did not finish. `offset` is where the next try would
  // continue, and `progress` the number of bytes that all tries have fetched.
  Status AllowAnotherTry(const HttpReply& reply, uint64_t offset,
                         uint64_t progress) {
    const std::string why = reply.outcome == HttpOutcome::kComplete
                                ? "the server sent too few bytes"
                                : reply.problem;
    const bool passing = IsPassingStatus(reply.head.status);
    const std::string problem = passing ? WhyRefused(reply.head.status) : why;
    ++tries_;
    const bool advanced = progress > progress_;
    idle_tries_ = advanced ? 0 : idle_tries_ + 1;
    progress_ = progress;
    // A server that sends a byte at a time must not keep us for ever.
    if (idle_tries_ >= file_.settings_.max_tries ||
        tries_ >= file_.settings_.max_tries + progress / kProgressPerTry) {
      return file_.Fail(
          ErrorCode::kIo, offset,
          fmt::format("{}; gave up after {} tries", problem, tries_));
    }
    if (advanced && !passing) return {};
    return Pause(reply, offset, problem);
  }

 private:
  Status Pause(const HttpReply& reply, uint64_t offset,
               const std::string& problem) const {
    const HttpSettings& settings = file_.settings_;
    auto wait = settings.first_wait * (1U << std::min(idle_tries_, 8U) >> 1);
    if (reply.wait_seconds) {
      if (*reply.wait_seconds >
          static_cast<uint64_t>(settings.max_wait.count())) {
        return file_.Fail(
            ErrorCode::kIo, offset,
            fmt::format("{}; it asks to try again after {} seconds", problem,
                        *reply.wait_seconds));
      }
      wait = std::chrono::seconds(*reply.wait_seconds);
    }
    if (!Wait(std::min<std::chrono::milliseconds>(wait, settings.max_wait),
              stop_)) {
      return CheckStop(stop_);
    }
    return {};
  }

  const RemoteFile& file_;
  const std::stop_token& stop_;
  unsigned tries_ = 0;
  unsigned idle_tries_ = 0;
  uint64_t progress_ = 0;
};

// One request for the rest of a range.
class RemoteFile::Attempt {
 public:
  Attempt(const RemoteFile& file, ByteRange range, const Take& take)
      : file_(file), range_(range), take_(take) {}

  // The next byte that is missing.
  uint64_t at() const { return range_.begin; }
  const Status& status() const { return status_; }
  const std::optional<Identity>& found() const { return found_; }

  bool OnHead(const ReplyHead& head) {
    // A body of an error is of no interest.
    if (head.status != kPartial) return false;
    status_ = CheckPart(head);
    return status_.has_value();
  }

  bool OnBody(ByteView bytes) {
    if (bytes.size() > part_.end - range_.begin) {
      status_ = file_.Fail(ErrorCode::kIo, part_.end,
                           "the server sent more bytes than it announced");
      return false;
    }
    range_.begin += bytes.size();
    status_ = take_(bytes);
    return status_.has_value();
  }

 private:
  Status CheckPart(const ReplyHead& head) {
    if (!head.content_encoding.empty() && head.content_encoding != "identity") {
      return file_.Fail(ErrorCode::kIo, at(),
                        "the server encodes what it sends");
    }
    const auto& range = head.content_range;
    if (!range || !range->range || !range->size) {
      return file_.Fail(ErrorCode::kIo, at(),
                        "the server does not say which part it sends");
    }
    if (file_.identity_) {
      ZPACK_TRY(file_.CheckIdentity(head, at()));
    } else {
      found_ = Identity{*range->size, head.etag, head.last_modified};
    }
    part_ = *range->range;
    if (part_.begin != range_.begin || part_.end > range_.end ||
        part_.end > *range->size) {
      return file_.Fail(ErrorCode::kIo, at(),
                        "the server sent another part than it was asked for");
    }
    if (head.content_length && *head.content_length != part_.size()) {
      return file_.Fail(ErrorCode::kIo, at(),
                        "the server announced two different sizes");
    }
    return {};
  }

  const RemoteFile& file_;
  ByteRange range_;  // what is missing
  const Take& take_;
  ByteRange part_;  // what the server announced
  std::optional<Identity> found_;
  Status status_;
};

RemoteFile::RemoteFile(std::string url, const HttpSettings& settings)
    : url_(std::move(url)),
      name_(NameWithoutSecrets(url_)),
      settings_(settings),
      client_(std::make_unique<HttpClient>(settings.timeouts)) {}

std::unexpected<Error> RemoteFile::Fail(ErrorCode code, uint64_t offset,
                                        const std::string& why) const {
  return MakeError(code, "cannot read '{}' at offset {}: {}", AtPath{name_},
                   AtOffset{offset}, why);
}

std::string RemoteFile::Version() const {
  const Identity& identity = *identity_;
  // A weak tag stays while bytes change.
  if (!identity.etag.empty() && !IsStrong(identity.etag)) return {};
  const std::string& version =
      identity.etag.empty() ? identity.last_modified : identity.etag;
  if (version.empty()) return {};
  return fmt::format("{}\n{}\n{}", url_, identity.size, version);
}

std::string RemoteFile::Condition() const {
  if (!identity_) return {};
  if (IsStrong(identity_->etag)) return "If-Match: " + identity_->etag;
  if (identity_->etag.empty() && !identity_->last_modified.empty()) {
    return "If-Unmodified-Since: " + identity_->last_modified;
  }
  return {};
}

Status RemoteFile::CheckIdentity(const ReplyHead& head, uint64_t offset) const {
  const Identity& known = *identity_;
  const bool same_version = known.etag.empty()
                                ? head.last_modified == known.last_modified
                                : head.etag == known.etag;
  const bool same_size = !head.content_range || !head.content_range->size ||
                         *head.content_range->size == known.size;
  if (same_version && same_size) return {};
  return Fail(ErrorCode::kIo, offset, kChanged);
}

Status RemoteFile::CheckReply(const HttpReply& reply, uint64_t offset) const {
  const int status = reply.head.status;
  if (reply.outcome == HttpOutcome::kFailed) {
    return Fail(ErrorCode::kIo, offset, reply.problem);
  }
  // A host that does not exist is a mistake more often than a disturbance.
  if (reply.outcome == HttpOutcome::kUnreachable && !identity_) {
    return Fail(ErrorCode::kIo, offset, reply.problem);
  }
  if (status == 0 || status == kPartial || IsPassingStatus(status)) return {};
  if (status == kOk) {
    if (!identity_) return Fail(ErrorCode::kUnsupported, offset, kNoRanges);
    ZPACK_TRY(CheckIdentity(reply.head, offset));
    return Fail(ErrorCode::kIo, offset, kNoRanges);
  }
  if (status == kPreconditionFailed) {
    return Fail(ErrorCode::kIo, offset, kChanged);
  }
  if (status == kRangeNotSatisfiable && identity_ && reply.head.content_range &&
      reply.head.content_range->size) {
    ZPACK_TRY(CheckIdentity(reply.head, offset));
  }
  if (status == 404 || status == 410) {
    return Fail(ErrorCode::kNotFound, offset,
                fmt::format("the server has no such file ({})", status));
  }
  return Fail(ErrorCode::kIo, offset, WhyRefused(status));
}

Result<RemoteFile::Opened> RemoteFile::Open(const std::string& url,
                                            const HttpSettings& settings,
                                            uint64_t start_size,
                                            const std::stop_token& stop) {
  Opened opened;
  opened.file.reset(new RemoteFile(url, settings));
  RemoteFile& file = *opened.file;
  const Take take = [&](ByteView bytes) -> Status {
    Append(opened.start, bytes);
    return {};
  };
  Patience patience(file, stop);
  while (!file.identity_) {
    ZPACK_TRY(CheckStop(stop));
    opened.start.clear();
    Attempt attempt(file, {0, start_size}, take);
    const HttpReply reply = file.client_->Get(
        {url, {0, start_size}, {}}, stop,
        [&](const ReplyHead& head) { return attempt.OnHead(head); },
        [&](ByteView bytes) { return attempt.OnBody(bytes); });
    ZPACK_TRY(CheckStop(stop));
    ZPACK_TRY(attempt.status());
    if (reply.head.status == kOk) {
      opened.whole_only = true;
      return opened;
    }
    const auto& range = reply.head.content_range;
    if (reply.head.status == kRangeNotSatisfiable && range &&
        range->size == uint64_t{0}) {
      file.identity_ = Identity{0, reply.head.etag, reply.head.last_modified};
      return opened;
    }
    ZPACK_TRY(file.CheckReply(reply, 0));
    if (attempt.found()) {
      file.identity_ = attempt.found();
      // What is missing of the first bytes is fetched when it is read.
    } else {
      ZPACK_TRY(patience.AllowAnotherTry(reply, 0, 0));
    }
  }
  return opened;
}

Status RemoteFile::Fetch(ByteRange range, const std::stop_token& stop,
                         const Take& take) const {
  const uint64_t begin = range.begin;
  Patience patience(*this, stop);
  while (range.begin < range.end) {
    ZPACK_TRY(CheckStop(stop));
    Attempt attempt(*this, range, take);
    const HttpReply reply = client_->Get(
        {url_, range, Condition()}, stop,
        [&](const ReplyHead& head) { return attempt.OnHead(head); },
        [&](ByteView bytes) { return attempt.OnBody(bytes); });
    ZPACK_TRY(attempt.status());
    range.begin = attempt.at();
    if (range.begin == range.end) break;
    ZPACK_TRY(CheckStop(stop));
    ZPACK_TRY(CheckReply(reply, range.begin));
    ZPACK_TRY(
        patience.AllowAnotherTry(reply, range.begin, range.begin - begin));
  }
  return {};
}

Status RemoteFile::FetchWhole(const std::stop_token& stop,
                              const std::function<Status()>& restart,
                              const Take& take) const {
  Patience patience(*this, stop);
  while (true) {
    ZPACK_TRY(restart());
    uint64_t size = 0;
    Status taken;
    const HttpReply reply = client_->Get(
        {url_, {}, {}}, stop,
        [&](const ReplyHead& head) { return head.status == kOk; },
        [&](ByteView bytes) {
          size += bytes.size();
          taken = take(bytes);
          return taken.has_value();
        });
    ZPACK_TRY(taken);
    ZPACK_TRY(CheckStop(stop));
    const bool ok = reply.head.status == kOk;
    if (ok && reply.outcome == HttpOutcome::kComplete) return {};
    if (!ok) ZPACK_TRY(CheckReply(reply, 0));
    ZPACK_TRY(patience.AllowAnotherTry(reply, size, 0));
  }
}

}  // namespace zpack
