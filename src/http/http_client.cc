// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "http/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/guarded.h"
#include "base/url.h"
#include "zpack/version.h"

namespace zpack {
namespace {

constexpr long kMaxRedirects = 5;
constexpr long kReceiveBuffer = 256 << 10;
// Longer values of headers are cut off.
constexpr size_t kMaxHeaderValue = 1024;

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

void AddLine(HeaderList& list, const std::string& line) {
  curl_slist* const longer =
      Allocated(curl_slist_append(list.get(), line.c_str()));
  (void)list.release();
  list.reset(longer);
}

void InitCurl() {
  static const bool initialized = [] {
    const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (code != CURLE_OK) {
      throw std::runtime_error(std::string("cannot use libcurl: ") +
                               curl_easy_strerror(code));
    }
    return true;
  }();
  (void)initialized;
}

// libcurl copies texts.
template <typename Value>
void SetOption(CURL* handle, CURLoption option, Value value) {
  if (curl_easy_setopt(handle, option, value) == CURLE_OUT_OF_MEMORY) {
    throw std::bad_alloc();
  }
}

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

void NoteHeader(std::string_view line, ReplyHead& head) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(), ToLower);
  const std::string_view value =
      Trim(line.substr(colon + 1)).substr(0, kMaxHeaderValue);
  if (name == "content-range") {
    head.content_range = ParseContentRange(value);
  } else if (name == "content-length") {
    head.content_length = ParseNumber(value);
  } else if (name == "etag") {
    head.etag = value;
  } else if (name == "last-modified") {
    head.last_modified = value;
  } else if (name == "content-encoding") {
    head.content_encoding = value;
  }
}

// Whether another try may succeed after libcurl's error.
bool IsPassing(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

// One request while libcurl works on it.
struct Conversation {
  CURL* handle;
  const std::stop_token& stop;
  const HttpClient::OnHead& on_head;
  const HttpClient::OnBody& on_body;
  ReplyHead head = {};
  bool head_passed = false;
  bool refused = false;
  // A callback of the caller threw.
  bool out_of_memory = false;
};

size_t OnHeaderLine(char* data, size_t /*one*/, size_t size, void* user) {
  auto& exchange = *static_cast<Conversation*>(user);
  const std::string_view line(data, size);
  const Status noted = Guarded([&]() -> Status {
    // Of several replies only the last one counts.
    if (line.starts_with("HTTP/")) exchange.head = {};
    NoteHeader(line, exchange.head);
    return {};
  });
  exchange.out_of_memory = exchange.out_of_memory || !noted;
  return noted ? size : 0;
}

bool PassOn(Conversation& exchange, ByteView bytes) {
  if (!exchange.head_passed) {
    exchange.head_passed = true;
    long status = 0;
    curl_easy_getinfo(exchange.handle, CURLINFO_RESPONSE_CODE, &status);
    exchange.head.status = static_cast<int>(status);
    if (!exchange.on_head(exchange.head)) return false;
  }
  return exchange.on_body(bytes);
}

size_t OnBodyBytes(char* data, size_t /*one*/, size_t size, void* user) {
  auto& exchange = *static_cast<Conversation*>(user);
  if (exchange.stop.stop_requested()) return 0;
  const Status passed = Guarded([&]() -> Status {
    exchange.refused = !PassOn(exchange, AsBytes(std::string_view(data, size)));
    return {};
  });
  exchange.out_of_memory = exchange.out_of_memory || !passed;
  return passed && !exchange.refused ? size : 0;
}

int OnProgress(void* user, curl_off_t /*down_total*/, curl_off_t /*down*/,
               curl_off_t /*up_total*/, curl_off_t /*up*/) {
  return static_cast<Conversation*>(user)->stop.stop_requested() ? 1 : 0;
}

// Sets an option to a variable of the environment. False if it is not set.
bool SetFromEnvironment(CURL* handle, CURLoption option, const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return false;
  SetOption(handle, option, value);
  return true;
}

// Certificates, from the variables that curl(1) reads: the library reads none.
void SetCertificates(CURL* handle) {
  if (SetFromEnvironment(handle, CURLOPT_CAINFO, "CURL_CA_BUNDLE")) return;
  SetFromEnvironment(handle, CURLOPT_CAPATH, "SSL_CERT_DIR");
  SetFromEnvironment(handle, CURLOPT_CAINFO, "SSL_CERT_FILE");
}

// What all requests have in common.
void SetFixedOptions(CURL* handle, CURLSH* share,
                     const HttpTimeouts& timeouts) {
  static const std::string agent = "git-zpack/" + std::string(LibraryVersion());
  curl_easy_setopt(handle, CURLOPT_SHARE, share);
  SetOption(handle, CURLOPT_USERAGENT, agent.c_str());
  SetOption(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, kMaxRedirects);
  curl_easy_setopt(handle, CURLOPT_NETRC, long{CURL_NETRC_OPTIONAL});
  SetCertificates(handle);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, kReceiveBuffer);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, timeouts.connect_seconds);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 100L);
  curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, timeouts.stalled_seconds);
  curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, OnProgress);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, OnHeaderLine);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, OnBodyBytes);
}

HttpOutcome OutcomeOf(CURLcode code, const Conversation& exchange) {
  if (exchange.stop.stop_requested()) return HttpOutcome::kStopped;
  if (exchange.refused) return HttpOutcome::kRefused;
  if (code == CURLE_OK) return HttpOutcome::kComplete;
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
      code == CURLE_COULDNT_RESOLVE_PROXY) {
    return HttpOutcome::kUnreachable;
  }
  return IsPassing(code) ? HttpOutcome::kBroken : HttpOutcome::kFailed;
}

}  // namespace

std::optional<ContentRange> ParseContentRange(std::string_view value) {
  constexpr std::string_view kUnit = "bytes ";
  if (!value.starts_with(kUnit)) return std::nullopt;
  value = Trim(value.substr(kUnit.size()));
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view bytes = value.substr(0, slash);
  const std::string_view size = value.substr(slash + 1);
  ContentRange parsed;
  if (size != "*") {
    parsed.size = ParseNumber(size);
    if (!parsed.size) return std::nullopt;
  }
  if (bytes == "*") return parsed;
  const size_t dash = bytes.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = ParseNumber(bytes.substr(0, dash));
  const auto last = ParseNumber(bytes.substr(dash + 1));
  if (!first || !last || *last < *first || *last == UINT64_MAX) {
    return std::nullopt;
  }
  parsed.range = ByteRange{*first, *last + 1};
  return parsed;
}

struct HttpClient::State {
  struct EasyDeleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  using Easy = std::unique_ptr<CURL, EasyDeleter>;

  explicit State(const HttpTimeouts& given) : timeouts(given) {
    InitCurl();
    share = Allocated(curl_share_init());
    curl_share_setopt(share, CURLSHOPT_LOCKFUNC, Lock);
    curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, Unlock);
    curl_share_setopt(share, CURLSHOPT_USERDATA, this);
    curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  }
  ~State() {
    idle.clear();
    curl_share_cleanup(share);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static void Lock(CURL* /*handle*/, curl_lock_data data,
                   curl_lock_access /*access*/, void* user) {
    static_cast<State*>(user)->shared[data].lock();
  }
  static void Unlock(CURL* /*handle*/, curl_lock_data data, void* user) {
    static_cast<State*>(user)->shared[data].unlock();
  }

  Easy Take() {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        Easy handle = std::move(idle.back());
        idle.pop_back();
        return handle;
      }
    }
    Easy handle(Allocated(curl_easy_init()));
    SetFixedOptions(handle.get(), share, timeouts);
    return handle;
  }
  void Return(Easy handle) {
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(handle));
  }

  HttpTimeouts timeouts;
  CURLSH* share = nullptr;
  // What the handles share, by kind.
  std::array<std::mutex, CURL_LOCK_DATA_LAST> shared;
  std::mutex mutex;
  std::vector<Easy> idle;  // guarded by mutex
};

HttpClient::HttpClient(const HttpTimeouts& timeouts)
    : state_(std::make_unique<State>(timeouts)) {}
HttpClient::~HttpClient() = default;

HttpReply HttpClient::Get(const HttpRequest& request,
                          const std::stop_token& stop, const OnHead& on_head,
                          const OnBody& on_body) {
  // Outlives the handle, which writes to it.
  std::array<char, CURL_ERROR_SIZE> problem{};
  State::Easy easy = state_->Take();
  CURL* const handle = easy.get();
  Conversation exchange{handle, stop, on_head, on_body};
  HeaderList lines;
  AddLine(lines, "Accept-Encoding: identity");
  if (!request.condition.empty()) AddLine(lines, request.condition);
  std::string range;
  if (request.range.size() != 0) {
    range = std::to_string(request.range.begin) + '-' +
            std::to_string(request.range.end - 1);
  }
  SetOption(handle, CURLOPT_URL, request.url.c_str());
  SetOption(handle, CURLOPT_REDIR_PROTOCOLS_STR,
            IsHttps(request.url) ? "https" : "http,https");
  SetOption(handle, CURLOPT_RANGE, range.empty() ? nullptr : range.c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, lines.get());
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, problem.data());
  curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &exchange);
  const CURLcode code = curl_easy_perform(handle);

  if (exchange.out_of_memory || code == CURLE_OUT_OF_MEMORY) {
    throw std::bad_alloc();
  }
  HttpReply reply;
  reply.outcome = OutcomeOf(code, exchange);
  reply.head = std::move(exchange.head);
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  reply.head.status = static_cast<int>(status);
  curl_off_t wait = 0;
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &wait);
  if (wait > 0) reply.wait_seconds = static_cast<uint64_t>(wait);
  if (code != CURLE_OK) {
    reply.problem = problem.front() != '\0' ? std::string(problem.data())
                                            : curl_easy_strerror(code);
  }
  // The buffer ends here.
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, nullptr);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, nullptr);
  state_->Return(std::move(easy));
  return reply;
}

std::string CurlVersion() {
  const curl_version_info_data* const info = curl_version_info(CURLVERSION_NOW);
  return info == nullptr ? "not found" : info->version;
}

}  // namespace zpack
