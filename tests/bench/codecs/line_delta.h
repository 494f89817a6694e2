// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Deltas of whole lines in the binary form of Mercurial's bdiff: hunks of a
// start and an end in the base and a length, 32 bits each, and the bytes that
// take the place of that range. Pure.

#pragma once

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack::bench {

// Replaces `out` with a delta that turns `base` into `target`.
void EncodeLineDelta(ByteView base, ByteView target, Bytes& out);

// Replaces `out` with the result. kCorrupt if the delta is malformed.
Status ApplyLineDelta(ByteView base, ByteView delta, Bytes& out);

}  // namespace zpack::bench
