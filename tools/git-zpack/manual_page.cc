// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "manual_page.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <vector>

namespace zpack::cli {
namespace {

// Standard output and standard error of man(1).
enum class ManStreams : uint8_t { kOwn, kNull };

// Runs man(1). Returns whether it succeeded.
bool RunMan(std::vector<std::string> words, ManStreams streams) {
  words.insert(words.begin(), "man");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  if (streams == ManStreams::kNull) {
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY,
                                       0);
    }
  }
  pid_t pid = -1;
  const int failed =
      posix_spawnp(&pid, "man", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

bool ShowManualPage(const std::string& page) {
  // Asks first, because man complains of a missing page on standard error.
  return RunMan({"-w", "1", page}, ManStreams::kNull) &&
         RunMan({"1", page}, ManStreams::kOwn);
}

}  // namespace zpack::cli
