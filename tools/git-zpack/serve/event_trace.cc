// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/event_trace.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>

#include "zpack/version.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kParentSession = "GIT_TRACE2_PARENT_SID";
constexpr const char* kParentName = "GIT_TRACE2_PARENT_NAME";
// The version of Git's format of events.
constexpr const char* kEventFormat = "4";

std::string EnvironmentText(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The UTC time, to the microsecond, in a format of strftime(3).
std::string UtcTime(const char* format) {
  constexpr size_t kMaxSize = 64;
  timeval now{};
  gettimeofday(&now, nullptr);
  tm utc{};
  gmtime_r(&now.tv_sec, &utc);
  std::string text(kMaxSize, '\0');
  text.resize(strftime(text.data(), text.size(), format, &utc));
  return fmt::format("{}.{:06}Z", text, now.tv_usec);
}

// The name of this process below that of its parent.
std::string BelowParent(const char* variable, const std::string& name) {
  const std::string parent = EnvironmentText(variable);
  return parent.empty() ? name : parent + '/' + name;
}

std::string NewSession() {
  return fmt::format("{}-Localhost-P{:08x}", UtcTime("%Y%m%dT%H%M%S"),
                     getpid());
}

}  // namespace

EventTrace::EventTrace(const std::vector<std::string>& arguments)
    : session_(NewSession()), target_("GIT_TRACE2_EVENT", session_) {
  if (!target_.wanted()) return;
  session_ = BelowParent(kParentSession, session_);
  setenv(kParentSession, session_.c_str(), 1);
  const std::string hierarchy = BelowParent(kParentName, arguments.front());
  setenv(kParentName, hierarchy.c_str(), 1);
  std::vector<std::string> words = {"git-zpack"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Write("version", {{"evt", kEventFormat}, {"exe", LibraryVersion()}});
  Write("start", {{"t_abs", Seconds()}, {"argv", words}});
  Write("cmd_name", {{"name", arguments.front()}, {"hierarchy", hierarchy}});
}

void EventTrace::End(int code) {
  if (!target_.wanted()) return;
  Write("exit", {{"t_abs", Seconds()}, {"code", code}});
  Write("atexit", {{"t_abs", Seconds()}, {"code", code}});
}

double EventTrace::Seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       start_)
      .count();
}

void EventTrace::Write(const char* event, const Json& fields) {
  Json line = {{"event", event},
               {"sid", session_},
               {"thread", "main"},
               {"time", UtcTime("%Y-%m-%dT%H:%M:%S")}};
  line.update(fields);
  // Bytes that are not UTF-8 are replaced.
  target_.Write(
      line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
      '\n');
}

}  // namespace zpack::cli
