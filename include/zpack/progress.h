// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How long-running operations report what they do.

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

// Receives progress. Begin and End are called from one thread at a time, and
// phases do not nest; Advance may be called from several threads at once
// between a Begin and its End.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;

  // Starts a phase with git's title for it, e.g. "Counting objects".
  // `total_objects` and `total_bytes` are 0 when not known beforehand.
  virtual void Begin(std::string_view title, uint64_t total_objects,
                     uint64_t total_bytes) = 0;
  // `objects` and `bytes` more have been dealt with. Bytes are of object
  // content, or of a file where a phase only reads or writes that.
  virtual void Advance(uint64_t objects, uint64_t bytes) = 0;
  virtual void End() = 0;
  // Whether totals are shown to somebody. Where they take another reading of
  // the file to find, they are 0 otherwise.
  virtual bool wants_totals() const { return true; }
};

}  // namespace zpack
