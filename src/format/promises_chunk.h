// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of promised objects (FORMAT.md, "Promised objects"). Pure.

#pragma once

#include "base/bytes.h"
#include "object/promises.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::format {

// REQUIRES: there are promised objects, and 1 to kMaxPromisorRemotes remotes
// with valid names and values.
void Encode(const Promises& promises, Bytes& out);

// Decodes the payload of the chunk. kCorrupt unless there are remotes, all
// different and valid, and ids, strictly ascending, that fill the payload. The
// null id is not an id of an object.
Result<Promises> DecodePromises(ByteView payload, ObjectFormat format);

}  // namespace zpack::format
