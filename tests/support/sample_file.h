// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A small valid file, to be edited into a bad one, and what a verification says
// of a file in memory.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "support/memory_source.h"
#include "verify/verify_archive.h"
#include "zpack/options.h"

namespace zpack::testing {

// The file that becomes of `source`, with ConvertOptions::block_size.
Bytes FileOf(MemorySource& source, std::optional<uint64_t> block_size = {},
             Profile profile = Profile::kBalanced);
// The file that becomes of SampleHistory(4) without a third of its blobs, which
// the file lists as lost.
Bytes FileWithLosses(std::optional<uint64_t> block_size = {});
// The file that becomes of SampleHistory(4); always the same bytes.
Bytes SampleFile();
// The file that becomes of WideHistory(3), then of WideHistory(5) on the base
// of that, then of WideHistory(7): it has blobs and trees in blocks of far
// deltas, some in three blocks.
Bytes UpdatedFile(Profile profile = Profile::kBalanced);
// Two files: what becomes of WideHistory(3), and of WideHistory(5) onto that.
std::vector<Bytes> SampleChain();
// The file that becomes of SampleHistory(3), SampleVersions() and a tag in
// more than eight segments; always the same bytes.
Bytes SegmentedFile();

// Why a file cannot be opened or verified at `level`, and all damages that are
// found in it; empty when all is well.
std::vector<std::string> Damages(const Bytes& bytes, VerifyLevel level);
// The first of them, or "".
std::string FirstDamage(const Bytes& bytes,
                        VerifyLevel level = VerifyLevel::kConnectivity);

}  // namespace zpack::testing
