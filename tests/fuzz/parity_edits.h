// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Random edits of parity packets that leave their checksums right.

#pragma once

#include "base/bytes.h"
#include "fuzz/choices.h"
#include "fuzz/file_mutator.h"

namespace zpack::testing {

// Edits one of the parity sets in `bytes`, wherever its packets are; what lies
// between them stays. Returns false if there are no packets.
bool EditParity(Bytes& bytes, Choices& choices, const EditBytes& edit_bytes);

}  // namespace zpack::testing
