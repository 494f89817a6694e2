// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "run_git.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>

namespace zpack::cli {
namespace {

constexpr int kCannotRun = 127;

// Variables that name a repository or parts of one, as listed by 'git rev-parse
// --local-env-vars'; and the one with which Git refuses to change refs, in a
// hook that checks a push.
constexpr std::array<std::string_view, 16> kLocalVariables = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_NAMESPACE",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_INDEX_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REFERENCE_BACKEND",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR"};

// Results apply to the objects themselves, not to their replacements in
// 'refs/replace/'.
constexpr const char* kNoReplacing = "GIT_NO_REPLACE_OBJECTS=1";

std::vector<const char*> Environment() {
  std::vector<const char*> variables = {kNoReplacing};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::ranges::find(kLocalVariables, name) == kLocalVariables.end()) {
      variables.push_back(*variable);
    }
  }
  variables.push_back(nullptr);
  return variables;
}

// Waits until a stop is requested, if it is soon. A signal for the group of
// processes ends Git, and may do so before the thread that waits for signals
// has requested a stop here.
void AwaitStop(const std::stop_token& stop) {
  constexpr auto kPatience = std::chrono::milliseconds(500);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  stopped.wait_for(lock, stop, kPatience, [] { return false; });
}

// Waits for the end of Git, and returns what RunGit returns.
int Await(pid_t pid, const std::stop_token& stop) {
  {
    // Until the callback is gone, the id must stay that of Git.
    const std::stop_callback forward(stop, [pid] { kill(pid, SIGTERM); });
    siginfo_t ended;
    while (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) <
           0) {
      if (errno != EINTR) return kCannotRun;
    }
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return kCannotRun;
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
    AwaitStop(stop);
  }
  return 128 + signal;
}

// Runs `git` with these streams; -1 stands for /dev/null.
int RunWithStreams(const std::vector<std::string>& arguments,
                   const std::array<int, 2>& streams,
                   const std::stop_token& stop) {
  // If SIGCHLD is ignored, as some parents set it, waitpid would fail.
  signal(SIGCHLD, SIG_DFL);
  std::vector<std::string> words = {"git"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const std::vector<const char*> environment = Environment();
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return kCannotRun;
  int failed = 0;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) {
    const int source = streams.at(static_cast<size_t>(stream));
    const int added =
        source >= 0 ? posix_spawn_file_actions_adddup2(&actions, source, stream)
                    : posix_spawn_file_actions_addopen(&actions, stream,
                                                       "/dev/null", O_RDWR, 0);
    if (added != 0) failed = added;
  }
  // Git must not inherit the signals that this process blocks.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  if (failed == 0) {
    failed = posix_spawnp(&pid, "git", &actions, &attributes, argv.data(),
                          const_cast<char* const*>(environment.data()));
  }
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return kCannotRun;
  return Await(pid, stop);
}

// A file without a name that holds `content`, as a stream for Git.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content)
      : fd_(memfd_create("git-zpack", MFD_CLOEXEC)),
        ok_(fd_ >= 0 && pwrite(fd_, content.data(), content.size(), 0) ==
                            static_cast<ssize_t>(content.size())) {}
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool ok() const { return ok_; }
  int fd() const { return fd_; }

 private:
  int fd_;
  bool ok_;
};

}  // namespace

int RunGit(const std::vector<std::string>& arguments,
           const std::stop_token& stop) {
  return RunWithStreams(arguments, {-1, -1}, stop);
}

int RunGitWithInput(const std::vector<std::string>& arguments,
                    std::string_view input, const std::stop_token& stop) {
  const MemoryFile in(input);
  return in.ok() ? RunWithStreams(arguments, {in.fd(), -1}, stop) : kCannotRun;
}

Status CheckGit(std::string_view command, int exit_code,
                const std::stop_token& stop) {
  if (exit_code == 0) return {};
  if (stop.stop_requested()) {
    return std::unexpected(Error{ErrorCode::kInterrupted, "interrupted"});
  }
  return std::unexpected(Error{
      ErrorCode::kGit,
      exit_code == kCannotRun
          ? std::string("cannot run 'git'")
          : fmt::format("'{}' failed with exit code {}", command, exit_code)});
}

std::string LineFromGit(const std::vector<std::string>& arguments,
                        std::string_view input, const std::stop_token& stop) {
  constexpr size_t kMaxSize = 1024;
  const MemoryFile in(input);
  const MemoryFile out("");
  if (!in.ok() || !out.ok() ||
      RunWithStreams(arguments, {in.fd(), out.fd()}, stop) != 0) {
    return "";
  }
  std::string line(kMaxSize, '\0');
  const ssize_t got = pread(out.fd(), line.data(), line.size(), 0);
  line.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return line.substr(0, line.find('\n'));
}

std::string HashWithGit(std::string_view content, const std::stop_token& stop) {
  // The repository around the current directory must not choose the hash.
  return LineFromGit({"--git-dir=/dev/null", "hash-object", "--stdin"}, content,
                     stop);
}

}  // namespace zpack::cli
