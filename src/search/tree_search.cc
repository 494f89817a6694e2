// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/tree_search.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "history/numbered_trees.h"
#include "history/tree_changes.h"
#include "object/object_links.h"
#include "search/blob_search.h"
#include "search/pathspec.h"

namespace zpack::search {
namespace {

// Bytes of files with matches that are kept until their turn. Others are read
// again.
constexpr uint64_t kMaxKeptTexts = uint64_t{128} << 20;

struct File {
  std::string path;
  ObjectNumber blob;
};

struct Found {
  std::vector<MatchingLine> lines = {};
  std::optional<std::string> text = std::nullopt;
  bool binary = false;
};

class TreeSearch {
 public:
  TreeSearch(const ArchiveFile& archive, ObjectReader& objects,
             const TreeSearchOptions& options)
      : archive_(archive), objects_(objects), options_(options) {}

  Status List(const ObjectId& root) {
    ZPACK_ASSIGN_OR_RETURN(Pathspec paths, Pathspec::Parse(options_.pathspecs));
    if (options_.max_depth) paths.LimitDepth(*options_.max_depth);
    NumberedTrees trees(archive_);
    const ObjectNumber number = trees.number(root);
    if (trees.IsInFile(number)) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info, objects_.ReadInfo(number));
      if (info.type == ObjectType::kBlob) {
        files_.push_back({"", number});
        return {};
      }
    }
    TreeComparison all(trees, [&](std::string_view directory) {
      return paths.MayEnter(directory);
    });
    const auto add = [&](const TreeChange& change) -> Status {
      if (!IsFileMode(change.after.mode) || !paths.Matches(change.path)) {
        return {};
      }
      if (!trees.IsInFile(change.after.object)) {
        return archive_.Absent(trees.id(change.after.object));
      }
      files_.push_back({std::string(change.path), change.after.object});
      return {};
    };
    constexpr TreeComparison::Tree kNothing;
    ZPACK_VISIT(all.Compare(std::span(&kNothing, 1), number, add), {});
    return {};
  }

  Status Search() {
    std::vector<ObjectNumber> numbers;
    numbers.reserve(files_.size());
    for (const File& file : files_) numbers.push_back(file.blob);
    std::ranges::sort(numbers);
    const auto rest = std::ranges::unique(numbers);
    numbers.erase(rest.begin(), rest.end());
    BlobSearch search = {.query = options_.query,
                         .number_lines = true,
                         .numbers = numbers,
                         .threads = options_.threads,
                         .stop = options_.stop};
    search.leaves_out_binary = options_.binary == BinaryFiles::kWithout;
    search.visit = [&](const FoundBlob& blob) {
      Keep(blob);
      return Status{};
    };
    search.fail = [&](ObjectNumber blob, const Error& error) {
      const std::lock_guard<std::mutex> lock(mutex_);
      failed_.emplace(blob, error);
    };
    return SearchBlobs(archive_.blocks(), search);
  }

  // Fails at the end for a file that could not be searched.
  Status Pass(const Visitor<const SearchedFile&>& visit) {
    Status all;
    for (const File& file : files_) {
      const auto failed = failed_.find(file.blob);
      if (failed != failed_.end() && all) {
        all = std::unexpected(
            file.path.empty()
                ? failed->second
                : Extend(failed->second, "; it is at '{}'", file.path));
      }
      const auto found = found_.find(file.blob);
      if (found == found_.end()) continue;
      ZPACK_VISIT(PassFile(file, found->second, visit), {});
    }
    return all;
  }

 private:
  void Keep(const FoundBlob& blob) {
    const bool is_binary = blob.binary && options_.binary != BinaryFiles::kText;
    const bool left_out = is_binary && options_.binary == BinaryFiles::kWithout;
    if (left_out || (blob.lines.empty() && !options_.all_files)) return;
    Found found = {.binary = is_binary};
    found.lines.assign(blob.lines.begin(), blob.lines.end());
    const std::lock_guard<std::mutex> lock(mutex_);
    if (blob.text && !blob.lines.empty() && !is_binary &&
        texts_ + blob.text->size() <= kMaxKeptTexts) {
      texts_ += blob.text->size();
      found.text = std::string(*blob.text);
    }
    found_.emplace(blob.number, std::move(found));
  }

  Result<Visit> PassFile(const File& file, const Found& found,
                         const Visitor<const SearchedFile&>& visit) {
    ZPACK_TRY(CheckStop(options_.stop));
    const ObjectId id = archive_.ids()[archive_.rank(file.blob)];
    SearchedFile passed = {.path = file.path,
                           .id = id,
                           .binary = found.binary,
                           .lines = found.lines};
    Bytes content;
    if (found.text) {
      passed.text = *found.text;
    } else if (!found.lines.empty() && !found.binary) {
      ZPACK_TRY(objects_.Read(file.blob, id, content, HashObject::kNo));
      passed.text = AsText(content);
    }
    return visit(passed);
  }

  const ArchiveFile& archive_;
  ObjectReader& objects_;
  const TreeSearchOptions& options_;
  std::vector<File> files_;
  std::mutex mutex_;  // guards what follows, during Search
  std::unordered_map<ObjectNumber, Found> found_;
  std::unordered_map<ObjectNumber, Error> failed_;  // why a blob is not found
  uint64_t texts_ = 0;                              // bytes
};

}  // namespace

Status SearchTree(const ArchiveFile& archive, ObjectReader& objects,
                  const ObjectId& root, const TreeSearchOptions& options,
                  const Visitor<const SearchedFile&>& visit) {
  TreeSearch search(archive, objects, options);
  ZPACK_TRY(search.List(root));
  ZPACK_TRY(search.Search());
  return search.Pass(visit);
}

}  // namespace zpack::search
