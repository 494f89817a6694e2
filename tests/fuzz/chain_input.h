// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that depend on each other as one fuzz input: one after the other, the
// first one first. An input that is not such a chain is a single file.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"

namespace zpack::testing {

std::vector<Bytes> SplitChain(ByteView input);
Bytes JoinChain(const std::vector<Bytes>& files);
// Makes each file state the hash of the one before it, and its checksums right.
void LinkChain(std::vector<Bytes>& files);

// The last file of a chain. The file before it is beside it under every name.
std::unique_ptr<RandomAccessFile> OpenChainInput(std::vector<Bytes> files);
// Writes the files to `directory`. Returns the path of the last one.
std::string WriteChain(const std::vector<Bytes>& files,
                       const std::string& directory);

}  // namespace zpack::testing
