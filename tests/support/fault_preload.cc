// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD that makes calls to the system fail, for
// tools/dev/siege. Only files below ZPACK_FAULT_ROOT are concerned. The same
// values and the same sequence of calls give the same faults.
//
//   ZPACK_FAULT_ROOT   directory; without it, nothing happens
//   ZPACK_FAULT_SEED   number that decides which calls fail, and how
//   ZPACK_FAULT_RATE   calls in a million that fail
//   ZPACK_FAULT_KINDS  'harmless': only what a caller must go on after: reads
//                      and writes that end early or are interrupted;
//                      'all' (default): also EIO, ENOSPC, and calls that fail
//   ZPACK_FAULT_KILL   number of the call before which the process gets SIGKILL
//   ZPACK_FAULT_COUNT  file to which the number of calls is written at the end
//   ZPACK_FAULT_CLOCK  '1': the clock of the day jumps
//
// May be used by any number of threads, as the functions that it replaces.

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "support/preload.h"

namespace {

using zpack::testing::Next;

constexpr int kMaxFiles = 1 << 16;

struct Settings {
  const char* root = nullptr;
  uint64_t seed = 0;
  uint64_t rate = 0;  // in a million
  bool all = true;
  uint64_t kill_at = UINT64_MAX;
  bool clock = false;
};

uint64_t NumberOf(const char* name, uint64_t otherwise) {
  const char* const text = getenv(name);
  return text != nullptr ? strtoull(text, nullptr, 10) : otherwise;
}

const Settings& GetSettings() {
  static const Settings settings = [] {
    Settings s;
    s.root = getenv("ZPACK_FAULT_ROOT");
    s.seed = NumberOf("ZPACK_FAULT_SEED", 0);
    s.rate = NumberOf("ZPACK_FAULT_RATE", 0);
    const char* const kinds = getenv("ZPACK_FAULT_KINDS");
    s.all = kinds == nullptr || strcmp(kinds, "harmless") != 0;
    s.kill_at = NumberOf("ZPACK_FAULT_KILL", UINT64_MAX);
    s.clock = NumberOf("ZPACK_FAULT_CLOCK", 0) != 0;
    return s;
  }();
  return settings;
}

std::atomic<uint64_t> calls = 0;
std::array<std::atomic<bool>, kMaxFiles> concerned;  // by descriptor

bool IsConcerned(int fd) {
  return fd >= 0 && fd < kMaxFiles && concerned[fd].load();
}

bool IsConcerned(const char* path) {
  const char* const root = GetSettings().root;
  return root != nullptr && path != nullptr &&
         strncmp(path, root, strlen(root)) == 0;
}

int Remember(int fd, bool below) {
  if (fd >= 0 && fd < kMaxFiles) concerned[fd].store(below);
  return fd;
}

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// What happens to a call: 0 for nothing, else a random number.
uint64_t Draw() {
  const Settings& settings = GetSettings();
  const uint64_t call = calls++;
  if (call == settings.kill_at) raise(SIGKILL);
  const uint64_t random =
      Mix(settings.seed * 0x9e3779b97f4a7c15 + call + 0x632be59bd9b4e019);
  if (random % 1'000'000 >= settings.rate) return 0;
  return random / 1'000'000 | 1;
}

// For calls that must not fail without harm. Sets errno if the call fails.
bool Fails(uint64_t drawn, int usual) {
  if (drawn == 0 || !GetSettings().all) return false;
  errno = (drawn / 2) % 3 == 0 ? EIO : usual;
  return true;
}

// For reads and writes: true if the call fails. May make `size` smaller.
bool FailsOrShortens(uint64_t drawn, int usual, size_t& size) {
  if (drawn == 0) return false;
  const uint64_t kind = (drawn / 2) % (GetSettings().all ? 4 : 2);
  if (kind == 0) {
    if (size > 1) size = 1 + (drawn / 8) % (size - 1);
    return false;
  }
  errno = kind == 1 ? EINTR : kind == 2 ? EIO : usual;
  return true;
}

void WriteCount() {
  const char* const path = getenv("ZPACK_FAULT_COUNT");
  if (path == nullptr) return;
  FILE* const file = fopen(path, "we");
  if (file == nullptr) return;
  fprintf(file, "%llu\n", static_cast<unsigned long long>(calls.load()));
  fclose(file);
}

__attribute__((constructor)) void Start() {
  // Programs that are started by the program run without faults.
  GetSettings();
  unsetenv("LD_PRELOAD");
  atexit(WriteCount);
}

// Directories are opened in order to clean up, which the siege looks at.
bool IsDirectory(int flags) { return (flags & O_DIRECTORY) != 0; }

template <typename Call>
int Open(int /*directory*/, const char* path, int flags, Call call) {
  const bool below = IsConcerned(path);
  if (below && !IsDirectory(flags) &&
      Fails(Draw(), (flags & O_CREAT) != 0 ? ENOSPC : EIO)) {
    return -1;
  }
  return Remember(call(), below);
}

template <typename Call>
int OpenAt(int directory, const char* path, int flags, Call call) {
  const bool below =
      path[0] == '/' ? IsConcerned(path) : IsConcerned(directory);
  if (below && !IsDirectory(flags) && Fails(Draw(), EIO)) return -1;
  return Remember(call(), below);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming, cert-dcl50-cpp)
extern "C" {

ZPACK_REPLACE_OPEN(open, Open)
ZPACK_REPLACE_OPEN(open64, Open)
ZPACK_REPLACE_OPENAT(openat, OpenAt)
ZPACK_REPLACE_OPENAT(openat64, OpenAt)

int close(int fd) {
  static auto* const next = Next(close, "close");
  Remember(fd, false);
  return next(fd);
}

ssize_t read(int fd, void* bytes, size_t size) {
  static auto* const next = Next(read, "read");
  if (IsConcerned(fd) && FailsOrShortens(Draw(), EIO, size)) return -1;
  return next(fd, bytes, size);
}

#define ZPACK_PREAD(name, Offset)                                         \
  ssize_t name(int fd, void* bytes, size_t size, Offset offset) {         \
    static auto* const next = Next(name, #name);                          \
    if (IsConcerned(fd) && FailsOrShortens(Draw(), EIO, size)) return -1; \
    return next(fd, bytes, size, offset);                                 \
  }
ZPACK_PREAD(pread, off_t)
ZPACK_PREAD(pread64, off64_t)

ssize_t write(int fd, const void* bytes, size_t size) {
  static auto* const next = Next(write, "write");
  if (IsConcerned(fd) && FailsOrShortens(Draw(), ENOSPC, size)) return -1;
  return next(fd, bytes, size);
}

#define ZPACK_PWRITE(name, Offset)                                           \
  ssize_t name(int fd, const void* bytes, size_t size, Offset offset) {      \
    static auto* const next = Next(name, #name);                             \
    if (IsConcerned(fd) && FailsOrShortens(Draw(), ENOSPC, size)) return -1; \
    return next(fd, bytes, size, offset);                                    \
  }
ZPACK_PWRITE(pwrite, off_t)
ZPACK_PWRITE(pwrite64, off64_t)

// Nothing is synced, because no test cuts the power.
#define ZPACK_SYNC(name)                                     \
  int name(int fd) {                                         \
    if (IsConcerned(fd)) return Fails(Draw(), EIO) ? -1 : 0; \
    static auto* const next = Next(name, #name);             \
    return next(fd);                                         \
  }
ZPACK_SYNC(fsync)
ZPACK_SYNC(fdatasync)
ZPACK_SYNC(syncfs)

#define ZPACK_TRUNCATE(name, Offset)                         \
  int name(int fd, Offset size) noexcept {                   \
    static auto* const next = Next(name, #name);             \
    if (IsConcerned(fd) && Fails(Draw(), ENOSPC)) return -1; \
    return next(fd, size);                                   \
  }
ZPACK_TRUNCATE(ftruncate, off_t)
ZPACK_TRUNCATE(ftruncate64, off64_t)

int rename(const char* from, const char* to) noexcept {
  static auto* const next = Next(rename, "rename");
  if (IsConcerned(to) && Fails(Draw(), ENOSPC)) return -1;
  return next(from, to);
}

int renameat2(int from_directory, const char* from, int to_directory,
              const char* to, unsigned flags) noexcept {
  static auto* const next = Next(renameat2, "renameat2");
  if (IsConcerned(to) && Fails(Draw(), ENOSPC)) return -1;
  return next(from_directory, from, to_directory, to, flags);
}

int link(const char* from, const char* to) noexcept {
  static auto* const next = Next(link, "link");
  if (IsConcerned(to) && Fails(Draw(), ENOSPC)) return -1;
  return next(from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const next = Next(mkdir, "mkdir");
  if (IsConcerned(path) && Fails(Draw(), ENOSPC)) return -1;
  return next(path, mode);
}

int clock_gettime(clockid_t clock, struct timespec* time) noexcept {
  static auto* const next = Next(clock_gettime, "clock_gettime");
  const int code = next(clock, time);
  if (code == 0 && clock == CLOCK_REALTIME && GetSettings().clock) {
    constexpr uint64_t kDays = 30 * 86'400;
    static std::atomic<uint64_t> jumps = 0;
    time->tv_sec +=
        static_cast<time_t>(Mix(GetSettings().seed + ++jumps) % (2 * kDays)) -
        static_cast<time_t>(kDays);
  }
  return code;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming, cert-dcl50-cpp)
