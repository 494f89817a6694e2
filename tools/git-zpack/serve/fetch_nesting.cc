// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/fetch_nesting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace zpack::cli {
namespace {

constexpr int kMaxNesting = 8;
// A process has fewer parents.
constexpr int kMaxParents = 1000;

// The first bytes of a file of a process; empty if it cannot be read.
std::string ProcessFile(int process, std::string_view file) {
  std::ifstream in(fmt::format("/proc/{}/{}", process, file), std::ios::binary);
  std::array<char, 4096> bytes{};
  in.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<size_t>(in.gcount())};
}

// The parent of a process; 0 if it is unknown.
int ParentOf(int process) {
  const std::string status = ProcessFile(process, "stat");
  // "<pid> (<name>) <state> <parent> ...", and a name may contain anything.
  constexpr size_t kFromNameToParent = 4;
  const size_t name_end = status.rfind(')');
  if (name_end == std::string::npos) return 0;
  int parent = 0;
  std::from_chars(
      status.data() + std::min(name_end + kFromNameToParent, status.size()),
      status.data() + status.size(), parent);
  return parent;
}

// Whether a process is Git, fetching objects that another Git lacks.
bool FetchesMissingObjects(int process) {
  // A zero byte ends each argument.
  const std::string setting =
      '\0' + std::string("fetch.negotiationAlgorithm=noop") + '\0';
  return ProcessFile(process, "cmdline").find(setting) != std::string::npos;
}

}  // namespace

Status CheckFetchNesting() {
  int nesting = 0;
  int process = getppid();
  for (int step = 0; step < kMaxParents && process > 0; ++step) {
    if (FetchesMissingObjects(process) && ++nesting == kMaxNesting) {
      return std::unexpected(Error{
          ErrorCode::kLimitExceeded,
          fmt::format("Git fetches missing objects for a fetch of missing "
                      "objects, {} times in a row, and would not end; use "
                      "protocol version 2 (git -c protocol.version=2)",
                      kMaxNesting)});
    }
    process = ParentOf(process);
  }
  return {};
}

}  // namespace zpack::cli
