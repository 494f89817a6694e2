// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// HEAD, refs and shallow boundaries as chunk 'REFS' (FORMAT.md, "Refs"). Pure.

#pragma once

#include "base/bytes.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack::format {

// REQUIRES: the invariants stated in RefsSnapshot.
void Encode(const RefsSnapshot& refs, Bytes& out);

// kCorrupt for anything a writer would not have written, names that are no
// valid ref names among them.
Result<RefsSnapshot> DecodeRefs(ByteView payload, ObjectFormat format);

}  // namespace zpack::format
