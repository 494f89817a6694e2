// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_layout.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "git/worktree_index.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTextFile = uint64_t{1} << 30;
constexpr uint64_t kMaxRefFile = uint64_t{1} << 20;
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

// Takes C-style quotes off a line of an alternates file, as Git does; a line
// that is not quoted, or not well, is taken as it is.
std::string Unquote(const std::string& line) {
  constexpr std::string_view kLetters = "abtnvfr";
  constexpr std::string_view kValues = "\a\b\t\n\v\f\r";
  if (!line.starts_with('"')) return line;
  std::string out;
  for (size_t at = 1; at < line.size(); ++at) {
    if (line[at] == '"') return out;
    if (line[at] != '\\') {
      out += line[at];
      continue;
    }
    if (++at == line.size()) break;
    const char c = line[at];
    if (c == '"' || c == '\\') {
      out += c;
    } else if (const size_t i = kLetters.find(c); i != std::string_view::npos) {
      out += kValues[i];
    } else {
      const std::string_view octal = std::string_view(line).substr(at, 3);
      unsigned value = 0;
      const auto [end, error] =
          std::from_chars(octal.data(), octal.data() + octal.size(), value, 8);
      if (error != std::errc() || end != octal.data() + 3 || value > 255) break;
      out += static_cast<char>(value);
      at += 2;
    }
  }
  return line;
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
    ZPACK_TRY(AddObjectDirectory(canonical / Unquote(line), alternates,
                                 depth + 1, out));
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

// Every file below `root` that Git would look at, as paths relative to `base`.
// Git follows links to directories, so this does.
Result<std::vector<std::string>> ListFiles(const fs::path& root,
                                           const fs::path& base) {
  std::vector<std::string> names;
  std::error_code error;
  fs::recursive_directory_iterator it(
      root, fs::directory_options::follow_directory_symlink, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    const std::string file_name = it->path().filename().string();
    std::error_code ignored;  // a link to nowhere is a file
    const bool is_directory = it->is_directory(ignored);
    if (file_name.starts_with('.') || file_name.ends_with(".lock")) {
      if (is_directory) it.disable_recursion_pending();
    } else if (!is_directory) {
      names.push_back(it->path().lexically_relative(base).string());
    }
  }
  if (error) {
    return std::unexpected(IoError("list", root.string(), error.value()));
  }
  std::ranges::sort(names);
  return names;
}

constexpr std::string_view kSpace = " \t\n\v\f\r";

void AddTip(std::string_view hex, std::set<ObjectId>& tips) {
  if (hex.find_first_not_of('0') == std::string_view::npos) return;
  if (const auto id = ObjectId::FromHex(hex)) tips.insert(*id);
}

void AddWordsTips(std::string_view line, std::set<ObjectId>& tips) {
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    AddTip(line.substr(0, end), tips);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
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

// The index in `directory`, and those that a split index shares.
Status AddIndexesTips(const fs::path& directory, std::set<ObjectId>& tips) {
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name != "index" && !name.starts_with("sharedindex.")) continue;
    const Result<Bytes> content =
        ReadWholeFile(PosixFileSystem(), it->path().string(), kMaxTextFile);
    if (!content) {
      // Git replaces an index at any time.
      if (content.error().code == ErrorCode::kNotFound) continue;
      return std::unexpected(content.error());
    }
    ZPACK_TRY(AddIndexTips(*content, it->path().string(), tips));
  }
  return {};
}

// What one worktree has for itself; the main one shares its directory with what
// belongs to all.
Status AddWorktreeTips(const fs::path& directory, std::set<ObjectId>& tips) {
  ZPACK_ASSIGN_OR_RETURN(const auto logs,
                         ListFiles(directory / "logs", directory));
  for (const std::string& name : logs) {
    ZPACK_TRY(AddReflogTips(directory / name, tips));
  }
  ZPACK_ASSIGN_OR_RETURN(auto refs, ListLooseRefNames(directory.string()));
  std::erase_if(
      refs, [](const std::string& name) { return !IsPerWorktreeRef(name); });
  refs.emplace_back("HEAD");
  for (const std::string& name : refs) {
    ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(directory / name));
    if (!lines.empty()) AddTip(lines.front(), tips);
  }
  return AddIndexesTips(directory, tips);
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

Result<std::vector<std::string>> ListLooseRefNames(
    const std::string& directory) {
  return ListFiles(fs::path(directory) / "refs", directory);
}

bool IsPerWorktreeRef(std::string_view name) {
  return name.starts_with("refs/bisect/") ||
         name.starts_with("refs/worktree/") ||
         name.starts_with("refs/rewritten/");
}

Result<std::optional<Ref>> ReadLooseRef(const std::string& directory,
                                        const std::string& name) {
  const fs::path path = fs::path(directory) / name;
  Ref ref;
  ref.name = name;
  std::error_code error;
  // Old repositories have symbolic links for symbolic refs. The name is
  // relative to the repository, so that most of them lead nowhere.
  if (fs::is_symlink(path, error)) {
    ref.symref_target = fs::read_symlink(path, error).string();
    if (!error && IsValidRefName(ref.symref_target)) return ref;
    ref.symref_target.clear();
  }
  const Result<Bytes> content =
      ReadWholeFile(PosixFileSystem(), path.string(), kMaxRefFile);
  if (!content) {
    if (content.error().code == ErrorCode::kNotFound) return std::nullopt;
    return std::unexpected(content.error());
  }
  std::string_view text = AsText(*content);
  text = text.substr(0, text.find_last_not_of(kSpace) + 1);
  if (text.starts_with("ref:")) {
    text.remove_prefix(4);
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    ref.symref_target = text;
    if (!text.empty()) return ref;
  } else if (const std::string_view hex =
                 text.substr(0, text.find_first_of(kSpace));
             hex.size() == ObjectIdWidth(ObjectFormat::kSha1) * 2) {
    // Words may follow an id, as they do in FETCH_HEAD.
    if (const auto id = ObjectId::FromHex(hex)) {
      ref.target = *id;
      return ref;
    }
  }
  return MakeError(ErrorCode::kSourceCorrupt, "cannot read ref '{}' of '{}'",
                   name, directory);
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

Result<std::vector<ObjectId>> ReadOtherTips(
    const std::string& common_directory) {
  const fs::path common = common_directory;
  std::set<ObjectId> tips;
  // Where grafts are in use, Git follows them instead of parents.
  ZPACK_ASSIGN_OR_RETURN(const auto grafts,
                         ReadLines(common / "info" / "grafts"));
  for (const std::string& line : grafts) AddWordsTips(line, tips);
  ZPACK_TRY(AddWorktreeTips(common, tips));
  std::error_code error;
  for (fs::directory_iterator it(common / "worktrees", error), end;
       !error && it != end; it.increment(error)) {
    ZPACK_TRY(AddWorktreeTips(it->path(), tips));
  }
  return std::vector<ObjectId>(tips.begin(), tips.end());
}

}  // namespace zpack
