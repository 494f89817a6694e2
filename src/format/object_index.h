// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chunks 'OIDP' (sorted ids with fan-out) and 'ONBP' (object number of each
// rank), and their forms in older files, 'OIDS' and 'ONUM' (FORMAT.md, "Object
// index"). Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "object/object_id_table.h"

namespace zpack::format {

// Leaves out the first byte or two of each id, which the fan-out tells.
void EncodeObjectIds(const ObjectIdTable& ids, Bytes& out);

// kCorrupt when the fan-out does not fit the ids, or they are not ascending or
// not `object_count`.
Result<ObjectIdTable> DecodeObjectIds(ByteView payload, ObjectFormat format,
                                      uint32_t object_count);
// The same for 'OIDS', which has whole ids.
Result<ObjectIdTable> DecodeWholeObjectIds(ByteView payload,
                                           ObjectFormat format,
                                           uint32_t object_count);

// `numbers[rank]` is the position of an object in the file's blocks. Each takes
// as many bits as the greatest needs.
void EncodeObjectNumbers(const std::vector<uint32_t>& numbers, Bytes& out);

// kCorrupt unless the payload is a permutation of 0 ... object_count - 1.
Result<std::vector<uint32_t>> DecodeObjectNumbers(ByteView payload,
                                                  uint32_t object_count);
// The same for 'ONUM', where each takes four bytes.
Result<std::vector<uint32_t>> DecodeWideObjectNumbers(ByteView payload,
                                                      uint32_t object_count);

// Ranks by number from numbers by rank, and the other way round. REQUIRES:
// every value from 0 to permutation.size() - 1 occurs once.
std::vector<uint32_t> InversePermutation(
    const std::vector<uint32_t>& permutation);

}  // namespace zpack::format
