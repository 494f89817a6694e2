// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The first part of a fetch in protocol v0: what the client wants.

#pragma once

#include <cstdint>

#include "serve/fetch_request.h"
#include "serve/upload_context.h"
#include "zpack/result.h"

namespace zpack {

enum class MultiAck : uint8_t { kNone, kPlain, kDetailed };

struct WantsV0 {
  FetchRequest request;
  MultiAck multi_ack = MultiAck::kNone;
  bool no_done = false;   // the pack may follow without a 'done'
  size_t max_packet = 0;  // of the sideband; 0 without one
};

// Reads the lines up to the flush and checks that the client may have what it
// wants. Errors are those of UploadPack.
Result<WantsV0> ReadWantsV0(UploadContext& context, History& history);

}  // namespace zpack
