// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An open file as C sees it, and calls that pass results to a callback. Any
// thread may use them.

#pragma once

#include <memory>

#include "zpack.h"
#include "zpack/archive_reader.h"
#include "zpack/result.h"
#include "zpack/visit.h"

struct zpack_archive {
  std::unique_ptr<zpack::ArchiveReader> reader;
};

namespace zpack::capi {

// Ends a visit unless the callback returned 0.
inline Visit Next(int returned) {
  return returned == 0 ? Visit::kContinue : Visit::kStop;
}

// What a function with a callback returns, which last returned `returned`.
inline Result<int> Ended(const Status& status, int returned) {
  if (!status) return std::unexpected(status.error());
  return returned;
}

}  // namespace zpack::capi
