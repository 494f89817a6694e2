// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Trees in memory, and the renames between them as Git prints them.
// Thread-compatible.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "log/blob_texts.h"
#include "log/file_pair.h"
#include "log/renames.h"
#include "support/matchers.h"
#include "zpack/log.h"

namespace zpack::log {

// An entry of a tree. The content of a submodule is its id.
struct TreeFile {
  uint32_t mode = 0100644;
  std::string content = {};
};
using FilesByPath = std::map<std::string, TreeFile>;

// Contents with numbers.
class ContentTable : public BlobTexts {
 public:
  ObjectNumber Number(const std::string& content) {
    const auto [place, is_new] = numbers_.try_emplace(
        content, ObjectNumber(static_cast<uint32_t>(contents_.size())));
    if (is_new) contents_.push_back(content);
    return place->second;
  }
  const std::string& content(ObjectNumber number) const {
    return contents_[number.value()];
  }

  Result<uint64_t> Size(ObjectNumber blob) override {
    if (fails) return MakeError(ErrorCode::kNotFound, "no size");
    return content(blob).size();
  }
  Result<TextPtr> Text(ObjectNumber blob) override {
    ++texts_read;
    const ByteView bytes = AsBytes(content(blob));
    return std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  }

  bool fails = false;
  int texts_read = 0;

 private:
  std::vector<std::string> contents_;
  std::map<std::string, ObjectNumber> numbers_;
};

inline TreeSide SideOfFile(const FilesByPath& files, const std::string& path,
                           ContentTable& contents) {
  const auto found = files.find(path);
  if (found == files.end()) return {};
  return {found->second.mode, contents.Number(found->second.content)};
}

// What git-diff-tree hands to the search for renames.
inline std::vector<FilePair> PairsOf(const FilesByPath& before,
                                     const FilesByPath& after,
                                     RenameSearch search,
                                     ContentTable& contents) {
  FilesByPath all = before;
  all.insert(after.begin(), after.end());
  std::vector<FilePair> pairs;
  for (const auto& [path, file] : all) {
    FilePair pair;
    pair.before = SideOfFile(before, path, contents);
    pair.after = SideOfFile(after, path, contents);
    pair.old_path = path;
    pair.new_path = path;
    if (pair.is_unchanged() && search != RenameSearch::kCopiesHarder) continue;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

// As 'git diff-tree --raw' prints the name and what happened to the file.
inline std::string LineOf(const FilePair& pair) {
  if (pair.is_added()) return "A\t" + pair.new_path;
  if (pair.is_removed()) return "D\t" + pair.old_path;
  if (pair.renamed) {
    const std::string percent =
        std::to_string(uint64_t{pair.similarity} * 100 / kMostSimilar);
    return (pair.copied ? "C" : "R") + std::string(3 - percent.size(), '0') +
           percent + '\t' + pair.old_path + '\t' + pair.new_path;
  }
  const bool same_type = pair.before.mode >> 12 == pair.after.mode >> 12;
  return (same_type ? "M\t" : "T\t") + pair.new_path;
}

inline std::vector<std::string> LinesOf(const FilesByPath& before,
                                        const FilesByPath& after,
                                        const RenameOptions& options) {
  ContentTable contents;
  std::vector<FilePair> pairs =
      PairsOf(before, after, options.search, contents);
  EXPECT_THAT(FindRenames(options, contents, pairs), zpack::testing::IsOk());
  std::vector<std::string> lines;
  for (const FilePair& pair : pairs) lines.push_back(LineOf(pair));
  return lines;
}

// `count` lines that no other text has.
inline std::string LinesFrom(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    text += "line " + std::to_string(i) + " of a text\n";
  }
  return text;
}

inline TreeFile Text(int first, int count) {
  return {.content = LinesFrom(first, count)};
}

}  // namespace zpack::log
