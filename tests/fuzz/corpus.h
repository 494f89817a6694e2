// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Seed inputs of fuzz targets, as files.

#pragma once

#include <string>
#include <utility>

#include "base/bytes.h"
#include "support/temp_dir.h"

namespace zpack::testing {

class Corpus {
 public:
  explicit Corpus(std::string directory) : directory_(std::move(directory)) {}
  void Add(const std::string& name, const Bytes& content) const {
    WriteFile(directory_ + '/' + name, AsText(content));
  }
  // For fuzz_tables, whose first byte chooses the decoder.
  void AddTable(const std::string& name, uint8_t selector,
                const Bytes& payload) const {
    Bytes input = {selector};
    Append(input, payload);
    Add("tables/" + name, input);
  }

 private:
  std::string directory_;
};

// Whole .zpack files, and parity: for the targets file, commands and parity.
void AddFiles(const Corpus& corpus);
// Git directories, for the target repository.
void AddRepositories(const Corpus& corpus);
// A small file with objects of every type.
void AddSha256File(const Corpus& corpus);

}  // namespace zpack::testing
