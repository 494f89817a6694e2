// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "background.h"

#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli.h"

namespace zpack::mount {
namespace {

int Fail(const char* what) {
  std::fprintf(stderr, "fatal: cannot %s: %s\n", what, strerror(errno));
  return cli::kFailed;
}

// The exit code of a process that ended before it could serve.
int CodeOf(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return Fail("wait for the process in the background");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Background::~Background() {
  if (fd_ >= 0) close(fd_);
}

std::optional<int> Background::Start() {
  std::array<int, 2> pipe_fds{};
  if (pipe2(pipe_fds.data(), O_CLOEXEC) != 0) return Fail("make a pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return Fail("start a process");
  if (child == 0) {
    close(pipe_fds[0]);
    fd_ = pipe_fds[1];
    return std::nullopt;
  }
  close(pipe_fds[1]);
  char byte = 0;
  ssize_t got = 0;
  do {
    got = read(pipe_fds[0], &byte, 1);
  } while (got < 0 && errno == EINTR);
  close(pipe_fds[0]);
  return got == 1 ? cli::kDone : CodeOf(child);
}

void Background::Ready() {
  if (fd_ < 0) return;
  setsid();
  if (chdir("/") != 0) return;  // cannot happen
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      dup2(null, stream);
    }
    if (null > STDERR_FILENO) close(null);
  }
  const char byte = 1;
  // Whoever waited may have been killed meanwhile.
  if (write(fd_, &byte, 1) < 0) errno = 0;
  close(fd_);
  fd_ = -1;
}

}  // namespace zpack::mount
