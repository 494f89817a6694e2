// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_layout.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTextFile = uint64_t{1} << 30;
// Git follows alternates of alternates this deep.
constexpr int kMaxAlternateDepth = 5;

// The lines of a text file; none when it does not exist.
Result<std::vector<std::string>> ReadLines(const fs::path& path) {
  Result<Bytes> content =
      ReadWholeFile(PosixFileSystem(), path.string(), kMaxTextFile);
  if (!content) {
    if (content.error().code == ErrorCode::kNotFound) return {};
    return std::unexpected(content.error());
  }
  std::vector<std::string> lines;
  std::string_view rest = AsText(*content);
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

Status AddObjectDirectory(const fs::path& directory, const fs::path& named_by,
                          int depth, std::vector<std::string>& out) {
  std::error_code error;
  const fs::path canonical = fs::canonical(directory, error);
  if (error || !fs::is_directory(canonical)) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "object directory '{}' does not exist; check '{}'",
                     directory.string(), named_by.string());
  }
  if (std::ranges::find(out, canonical.string()) != out.end()) return {};
  if (depth > kMaxAlternateDepth) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "alternates are nested too deep at '{}'",
                     directory.string());
  }
  out.push_back(canonical.string());
  const fs::path alternates = canonical / "info" / "alternates";
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(alternates));
  for (const std::string& line : lines) {
    if (line.empty() || line.front() == '#') continue;
    // An absolute line replaces the left operand.
    ZPACK_TRY(AddObjectDirectory(canonical / line, alternates, depth + 1, out));
  }
  return {};
}

template <typename Visit>
void ForEachPackFile(const std::vector<std::string>& object_directories,
                     Visit visit) {
  for (const std::string& directory : object_directories) {
    std::error_code error;
    for (fs::directory_iterator it(fs::path(directory) / "pack", error), end;
         !error && it != end; it.increment(error)) {
      visit(*it);
    }
  }
}

// Every regular file below `root`, as paths relative to `base`.
std::vector<std::string> ListFiles(const fs::path& root, const fs::path& base) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end;
       !error && it != end; it.increment(error)) {
    const std::string file_name = it->path().filename().string();
    if (file_name.starts_with('.') || file_name.ends_with(".lock")) {
      if (it->is_directory()) it.disable_recursion_pending();
      continue;
    }
    if (!it->is_directory()) {
      names.push_back(it->path().lexically_relative(base).string());
    }
  }
  std::ranges::sort(names);
  return names;
}

void AddTip(std::string_view hex, std::set<ObjectId>& tips) {
  if (hex.find_first_not_of('0') == std::string_view::npos) return;
  if (const auto id = ObjectId::FromHex(hex)) tips.insert(*id);
}

// "<old id> <new id> <who> <when>\t<why>"
Status AddReflogTips(const fs::path& path, std::set<ObjectId>& tips) {
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(path));
  for (const std::string& line : lines) {
    const std::string_view text = line;
    const size_t first = text.find(' ');
    if (first == std::string_view::npos) continue;
    AddTip(text.substr(0, first), tips);
    const size_t second = text.find(' ', first + 1);
    AddTip(text.substr(first + 1, second - first - 1), tips);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> ListObjectDirectories(
    const std::string& common_directory) {
  std::vector<std::string> directories;
  ZPACK_TRY(AddObjectDirectory(fs::path(common_directory) / "objects",
                               common_directory, 0, directories));
  return directories;
}

uint64_t PackedFileBytes(const std::vector<std::string>& object_directories) {
  uint64_t sum = 0;
  ForEachPackFile(object_directories, [&](const fs::directory_entry& entry) {
    const fs::path extension = entry.path().extension();
    if (extension != ".pack" && extension != ".idx") return;
    std::error_code error;
    const uint64_t size = entry.file_size(error);
    if (!error) sum += size;
  });
  return sum;
}

bool HasPromisorPack(const std::vector<std::string>& object_directories) {
  bool found = false;
  ForEachPackFile(object_directories, [&](const fs::directory_entry& entry) {
    found = found || entry.path().extension() == ".promisor";
  });
  return found;
}

std::vector<std::string> ListLooseRefNames(
    const std::string& common_directory) {
  return ListFiles(fs::path(common_directory) / "refs", common_directory);
}

Result<std::vector<ObjectId>> ReadShallow(const std::string& common_directory) {
  const fs::path path = fs::path(common_directory) / "shallow";
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(path));
  std::set<ObjectId> ids;
  for (const std::string& line : lines) {
    const auto id = ObjectId::FromHex(line);
    if (!id) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "bad shallow line '{}' in '{}'", line, path.string());
    }
    ids.insert(*id);
  }
  return std::vector<ObjectId>(ids.begin(), ids.end());
}

Result<std::vector<ObjectId>> ReadReflogAndWorktreeTips(
    const std::string& common_directory) {
  const fs::path common = common_directory;
  std::set<ObjectId> tips;
  for (const std::string& name : ListFiles(common / "logs", common)) {
    ZPACK_TRY(AddReflogTips(common / name, tips));
  }
  std::error_code error;
  for (fs::directory_iterator it(common / "worktrees", error), end;
       !error && it != end; it.increment(error)) {
    ZPACK_TRY(AddReflogTips(it->path() / "logs" / "HEAD", tips));
    ZPACK_ASSIGN_OR_RETURN(const auto head, ReadLines(it->path() / "HEAD"));
    if (!head.empty()) AddTip(head.front(), tips);
  }
  return std::vector<ObjectId>(tips.begin(), tips.end());
}

}  // namespace zpack
