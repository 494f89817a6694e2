// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

constexpr std::chrono::minutes kHang(10);

struct Pipe {
  Pipe() { Require(pipe2(ends.data(), O_CLOEXEC) == 0, "pipe failed"); }
  int read_end() const { return ends[0]; }
  int write_end() const { return ends[1]; }
  std::array<int, 2> ends{};
};

void CloseAndForget(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) {
    pointers.push_back(const_cast<char*>(text.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

std::string NameOf(const std::string& entry) {
  return entry.substr(0, entry.find('=') + 1);
}

std::vector<std::string> CurrentEnvironment() {
  std::vector<std::string> entries;
  for (char** at = environ; *at != nullptr; ++at) entries.emplace_back(*at);
  return entries;
}

// `changes` over the environment of this process.
std::vector<std::string> MergedEnvironment(
    const std::vector<std::string>& changes) {
  std::vector<std::string> merged = changes;
  for (std::string& entry : CurrentEnvironment()) {
    const std::string name = NameOf(entry);
    // Whatever Git has in this environment is about another repository.
    if (name.starts_with("GIT_")) continue;
    if (std::ranges::none_of(changes, [&](const std::string& change) {
          return change.starts_with(name);
        })) {
      merged.push_back(std::move(entry));
    }
  }
  return merged;
}

// Appends what is there to read; false at the end.
bool ReadSome(int fd, std::string& to) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(fd, buffer.data(), buffer.size());
  if (got > 0) to.append(buffer.data(), static_cast<size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace

void PrintTo(const ProcessResult& result, std::ostream* out) {
  *out << "exit code " << result.exit_code;
  if (result.signal != 0) *out << ", signal " << result.signal;
  *out << "\nstandard output: " << result.out.substr(0, 4096)
       << "\nstandard error: " << result.err.substr(0, 4096);
}

Process::Process(const std::vector<std::string>& command,
                 const ProcessOptions& options)
    : input_(options.input), start_(std::chrono::steady_clock::now()) {
  deadline_ = start_ + (options.kill_after.count() != 0
                            ? options.kill_after
                            : std::chrono::microseconds(kHang));
  // A program that does not read its input must not end this one.
  signal(SIGPIPE, SIG_IGN);
  const Pipe in;
  const Pipe out;
  const Pipe err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  if (!options.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, options.directory.c_str());
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const std::vector<std::string> environment =
      MergedEnvironment(options.environment);
  const int code =
      posix_spawnp(&pid_, command.front().c_str(), &actions, &attributes,
                   Pointers(command).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  Require(code == 0, "cannot start " + command.front() + " in '" +
                         options.directory + "'");
  close(in.read_end());
  close(out.write_end());
  close(err.write_end());
  in_ = in.write_end();
  out_ = out.read_end();
  err_ = err.read_end();
  fcntl(in_, F_SETFL, O_NONBLOCK);
}

Process::~Process() {
  if (pid_ < 0) return;
  Signal(SIGKILL);
  (void)Wait();
}

void Process::CloseAll() {
  CloseAndForget(in_);
  CloseAndForget(out_);
  CloseAndForget(err_);
}

void Process::Signal(int signal) { kill(pid_, signal); }

bool Process::Pump() {
  if (in_ >= 0 && input_sent_ == input_.size()) CloseAndForget(in_);
  if (out_ < 0 && err_ < 0) return false;
  const auto left = std::chrono::duration_cast<std::chrono::microseconds>(
      deadline_ - std::chrono::steady_clock::now());
  if (left.count() <= 0) {
    Signal(SIGKILL);
    CloseAll();
    return false;
  }
  std::array<pollfd, 3> fds = {
      {{in_, POLLOUT, 0}, {out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  const timespec wait = {left.count() / 1000000, left.count() % 1000000 * 1000};
  if (ppoll(fds.data(), fds.size(), &wait, nullptr) <= 0) return true;
  if (fds[0].revents != 0) {
    const ssize_t put =
        write(in_, input_.data() + input_sent_, input_.size() - input_sent_);
    if (put > 0) input_sent_ += static_cast<size_t>(put);
    if (put < 0 && errno != EAGAIN && errno != EINTR) CloseAndForget(in_);
  }
  if (fds[1].revents != 0 && !ReadSome(out_, result_.out)) CloseAndForget(out_);
  if (fds[2].revents != 0 && !ReadSome(err_, result_.err)) CloseAndForget(err_);
  return true;
}

bool Process::WaitForErr(std::string_view text) {
  while (result_.err.find(text) == std::string::npos) {
    if (err_ < 0 || !Pump()) return false;
  }
  return true;
}

ProcessResult Process::Wait() {
  while (Pump()) {
  }
  int status = 0;
  rusage usage{};
  while (wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  CloseAll();
  result_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_)
          .count();
  result_.peak_rss_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  return std::move(result_);
}

ProcessResult RunProcess(const std::vector<std::string>& command,
                         const ProcessOptions& options) {
  return Process(command, options).Wait();
}

std::vector<std::string> HermeticEnvironment(const std::string& home) {
  return {"HOME=" + home,
          "XDG_CONFIG_HOME=" + home + "/.config",
          "GIT_CONFIG_GLOBAL=/dev/null",
          "GIT_CONFIG_NOSYSTEM=1",
          "GIT_TERMINAL_PROMPT=0",
          "GIT_AUTHOR_NAME=A U Thor",
          "GIT_AUTHOR_EMAIL=author@example.com",
          "GIT_AUTHOR_DATE=1700000000 +0100",
          "GIT_COMMITTER_NAME=C O Mitter",
          "GIT_COMMITTER_EMAIL=committer@example.com",
          "GIT_COMMITTER_DATE=1700000000 +0100",
          "LC_ALL=C",
          "TZ=UTC"};
}

}  // namespace zpack::testing
