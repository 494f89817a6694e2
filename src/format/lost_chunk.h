// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of lost objects (FORMAT.md, "Lost objects"). Pure.

#pragma once

#include "base/bytes.h"
#include "object/lost_objects.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::format {

// REQUIRES: there are lost objects, and a type, or nothing, for each.
void Encode(const LostObjects& lost, Bytes& out);

// Decodes the payload of the chunk. kCorrupt unless there are ids, strictly
// ascending, and a type for each, that fill the payload. The null id is not an
// id of an object.
Result<LostObjects> DecodeLostObjects(ByteView payload, ObjectFormat format);

}  // namespace zpack::format
