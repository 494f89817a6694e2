// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "exec/git_setting.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace zpack::cli {
namespace {

// Starts 'git <arguments>' with `out` as its standard output. Returns -1 if Git
// cannot be run.
pid_t StartGit(std::vector<std::string> arguments, int out) {
  std::string git = "git";
  std::vector<char*> words = {git.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return -1;
  // Standard input belongs to the protocol.
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  pid_t pid = -1;
  const int failed =
      posix_spawnp(&pid, "git", &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? pid : -1;
}

std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 256> buffer{};
  while (true) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

std::optional<std::string> GitSetting(const std::string& name) {
  return OutputOfGit({"config", "--get", name});
}

std::optional<std::string> OutputOfGit(
    const std::vector<std::string>& arguments) {
  // If SIGCHLD is ignored, as some parents set it, waitpid would fail.
  std::signal(SIGCHLD, SIG_DFL);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const pid_t pid = StartGit(arguments, ends[1]);
  close(ends[1]);
  std::string value = pid < 0 ? "" : ReadAll(ends[0]);
  close(ends[0]);
  if (pid < 0) return std::nullopt;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  if (value.ends_with('\n')) value.pop_back();
  return value;
}

}  // namespace zpack::cli
