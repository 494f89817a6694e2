// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How long-running operations report their progress.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zpack {

// A phase that has ended.
struct PhaseTime {
  std::string title;
  double seconds = 0;
};

// Receives progress. Begin and End are called by one thread at a time. Phases
// do not nest. Between a Begin and its End, several threads may call Advance at
// once.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;

  // A phase starts. `title` is Git's title where Git has such a phase, for
  // example "Counting objects". `total_objects` and `total_bytes` are 0 when
  // the total is not known.
  virtual void Begin(std::string_view title, uint64_t total_objects,
                     uint64_t total_bytes) = 0;
  // The phase has processed that many more objects and bytes. Bytes are bytes
  // of object content; in a phase that only reads or writes a file, they are
  // bytes of the file.
  virtual void Advance(uint64_t objects, uint64_t bytes) = 0;
  // The phase has ended.
  virtual void End() = 0;
  // Whether the sink uses totals. If not, an operation that had to read the
  // file once more to find the totals passes 0.
  virtual bool wants_totals() const { return true; }
};

}  // namespace zpack
