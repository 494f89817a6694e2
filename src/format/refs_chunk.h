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

// Decodes the payload of 'REFS'. kCorrupt for anything that a writer does not
// write, such as an invalid ref name.
Result<RefsSnapshot> DecodeRefs(ByteView payload, ObjectFormat format);

}  // namespace zpack::format
