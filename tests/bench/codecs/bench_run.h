// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the programs behind tools/bench share: how long something takes, the
// pack of a repository, and lists of objects. Thread-compatible.

#pragma once

#include <ctime>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "pack/pack_reader.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::bench {

// Seconds since the watch was made.
class StopWatch {
 public:
  double Wall() const { return Now(CLOCK_MONOTONIC) - wall_; }
  // Of all threads of the process.
  double Cpu() const { return Now(CLOCK_PROCESS_CPUTIME_ID) - cpu_; }
  // Of the calling thread, which must be the one that made the watch.
  double ThreadCpu() const { return Now(CLOCK_THREAD_CPUTIME_ID) - thread_; }

  // Members "wall" and "cpu".
  nlohmann::json Json() const { return {{"wall", Wall()}, {"cpu", Cpu()}}; }

 private:
  static double Now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_nsec) * 1e-9;
  }

  double wall_ = Now(CLOCK_MONOTONIC);
  double cpu_ = Now(CLOCK_PROCESS_CPUTIME_ID);
  double thread_ = Now(CLOCK_THREAD_CPUTIME_ID);
};

// What was read. Two ways to store the same objects give the same values, in
// whatever order the objects were read.
struct ReadTally {
  uint64_t objects = 0;
  uint64_t bytes = 0;
  uint64_t digest = 0;  // sum of the checksums of all contents

  void Add(ByteView content);
  nlohmann::json Json() const;
};

// Opens the pack of a bare repository, whose contents of up to 96 MiB are kept
// as bases, as Git does. kInvalidArgument unless the repository has one pack.
Result<std::unique_ptr<PackReader>> OpenOnlyPack(const std::string& repository);

// Reads a file of object ids, one a line. Errors: kIo; kInvalidArgument.
Result<std::vector<ObjectId>> ReadIds(const std::string& path);

Result<Bytes> ReadWholeFile(const std::string& path);

// Prints what `run` returns, and returns the exit code of the program: 0, or
// 128 after a message on standard error.
int PrintJson(const std::function<Result<nlohmann::json>()>& run);

using Arguments = std::vector<std::string>;

// A command of a program.
struct Command {
  std::string_view name;
  size_t arguments;  // how many it takes
  Result<nlohmann::json> (*run)(const Arguments&);
};

// Runs the command that argv[1] names as PrintJson does. Returns 129 after
// printing `usage` if there is none with so many arguments.
int RunCommand(std::span<const Command> commands, std::string_view usage,
               int argc, char** argv);

}  // namespace zpack::bench
