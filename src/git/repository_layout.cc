// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "git/directory_listing.h"
#include "git/pack_directory.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxTextFile = uint64_t{1} << 30;
constexpr uint64_t kMaxRefFile = uint64_t{1} << 20;
// Maximum depth of nested alternates in Git.
constexpr int kMaxAlternateDepth = 5;

// Removes C-style quotes from a line of an alternates file, as Git does. A line
// without quotes, or with malformed quotes, is returned unchanged.
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

// `directory` with links resolved. Nothing if it is not a directory.
Result<std::optional<fs::path>> FindDirectory(const fs::path& directory) {
  std::error_code error;
  fs::path canonical = fs::canonical(directory, error);
  if (!error && fs::is_directory(canonical, error)) return canonical;
  if (!error || error == std::errc::no_such_file_or_directory ||
      error == std::errc::not_a_directory ||
      error == std::errc::too_many_symbolic_link_levels) {
    return std::nullopt;
  }
  return MakeError(ErrorCode::kIo, "cannot open object directory '{}': {}",
                   AtPath{directory.string()}, error.message());
}

void AddOnce(const std::string& item, std::vector<std::string>& items) {
  if (std::ranges::find(items, item) == items.end()) items.push_back(item);
}

Status AddObjectDirectory(const fs::path& directory, int depth,
                          ObjectDirectories& out) {
  ZPACK_ASSIGN_OR_RETURN(const auto canonical, FindDirectory(directory));
  if (!canonical && depth > 0) {
    AddOnce(directory.string(), out.missing);
    return {};
  }
  if (!canonical) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "object directory '{}' does not exist",
                     AtPath{directory.string()});
  }
  if (std::ranges::find(out.found, canonical->string()) != out.found.end()) {
    return {};
  }
  if (depth > kMaxAlternateDepth) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "alternates are nested too deep at '{}'",
                     AtPath{directory.string()});
  }
  out.found.push_back(canonical->string());
  const fs::path alternates = *canonical / "info" / "alternates";
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(alternates.string()));
  for (const std::string& line : lines) {
    if (line.empty() || line.front() == '#') continue;
    // If the line is absolute, operator/ drops the left operand.
    ZPACK_TRY(AddObjectDirectory(*canonical / Unquote(line), depth + 1, out));
  }
  return {};
}

constexpr std::string_view kRefSpace = " \t\n\v\f\r";

}  // namespace

Result<std::vector<std::string>> ReadLines(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const auto content, ReadIfThere(path, kMaxTextFile));
  std::vector<std::string> lines;
  std::string_view rest = content ? AsText(*content) : std::string_view();
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

Result<std::vector<std::string>> ListFiles(const std::string& base,
                                           const std::string& root) {
  std::vector<std::string> files;
  std::vector<std::string> pending = {root};
  while (!pending.empty()) {
    const std::string directory = std::move(pending.back());
    pending.pop_back();
    ZPACK_ASSIGN_OR_RETURN(const auto names, ListNames(base + '/' + directory));
    for (const std::string& name : names) {
      if (name.starts_with('.') || name.ends_with(".lock")) continue;
      std::string path = directory + '/' + name;
      // An entry that cannot be examined counts as a file. Reading it will
      // fail.
      std::error_code error;
      const bool is_directory = fs::is_directory(base + '/' + path, error);
      (is_directory ? pending : files).push_back(std::move(path));
    }
  }
  std::ranges::sort(files);
  return files;
}

Result<ObjectDirectories> ListObjectDirectories(
    const std::string& common_directory) {
  ObjectDirectories directories;
  ZPACK_TRY(AddObjectDirectory(fs::path(common_directory) / "objects", 0,
                               directories));
  return directories;
}

uint64_t PackedFileBytes(const std::vector<std::string>& object_directories) {
  uint64_t sum = 0;
  for (const std::string& directory : object_directories) {
    const auto files = ListPackFiles(directory);
    if (!files) continue;
    for (const std::string& file : *files) {
      // What PackWriter::bytes counts.
      constexpr std::array<std::string_view, 4> kCounted = {".pack", ".idx",
                                                            ".rev", ".mtimes"};
      if (std::ranges::none_of(kCounted, [&](std::string_view extension) {
            return file.ends_with(extension);
          })) {
        continue;
      }
      std::error_code error;
      const uint64_t size =
          fs::file_size(PackDirectory(directory) + '/' + file, error);
      if (!error) sum += size;
    }
  }
  return sum;
}

Result<bool> HasPromisorPack(
    const std::vector<std::string>& object_directories) {
  for (const std::string& directory : object_directories) {
    ZPACK_ASSIGN_OR_RETURN(const auto files, ListPackFiles(directory));
    for (const std::string& file : files) {
      if (file.ends_with(".promisor")) return true;
    }
  }
  return false;
}

Result<std::vector<std::string>> ListLooseRefNames(
    const std::string& directory) {
  return ListFiles(directory, "refs");
}

bool IsPerWorktreeRef(std::string_view name) {
  return name.starts_with("refs/bisect/") ||
         name.starts_with("refs/worktree/") ||
         name.starts_with("refs/rewritten/");
}

std::string FormatLooseRef(const ObjectId& target,
                           const std::string& symref_target) {
  return (symref_target.empty() ? target.ToHex() : "ref: " + symref_target) +
         '\n';
}

Result<std::optional<Ref>> ReadLooseRef(ObjectFormat format,
                                        const std::string& directory,
                                        const std::string& name) {
  const fs::path path = fs::path(directory) / name;
  Ref ref;
  ref.name = name;
  std::error_code error;
  // In old repositories, symbolic refs are symbolic links. The target is
  // relative to the git directory, so most of these links are dangling.
  if (fs::is_symlink(path, error)) {
    ref.symref_target = fs::read_symlink(path, error).string();
    if (!error && IsValidRefName(ref.symref_target)) return ref;
    ref.symref_target.clear();
  }
  ZPACK_ASSIGN_OR_RETURN(const auto content,
                         ReadIfThere(path.string(), kMaxRefFile));
  if (!content) return std::nullopt;
  std::string_view text = AsText(*content);
  text = text.substr(0, text.find_last_not_of(kRefSpace) + 1);
  if (text.starts_with("ref:")) {
    text.remove_prefix(4);
    text.remove_prefix(
        std::min(text.find_first_not_of(kRefSpace), text.size()));
    ref.symref_target = text;
    if (!text.empty()) return ref;
  } else if (const std::string_view hex =
                 text.substr(0, text.find_first_of(kRefSpace));
             hex.size() == ObjectIdWidth(format) * 2) {
    // Words may follow an id, as in FETCH_HEAD.
    if (const auto id = ObjectId::FromHex(hex)) {
      ref.target = *id;
      return ref;
    }
  }
  return MakeError(ErrorCode::kSourceCorrupt, "cannot read ref '{}' of '{}'",
                   name, AtPath{directory});
}

Result<std::vector<ObjectId>> ReadShallow(ObjectFormat format,
                                          const std::string& common_directory) {
  const fs::path path = fs::path(common_directory) / "shallow";
  ZPACK_ASSIGN_OR_RETURN(const auto lines, ReadLines(path.string()));
  std::set<ObjectId> ids;
  for (const std::string& line : lines) {
    const auto id = ObjectId::FromHex(line);
    if (!id || id->bytes().size() != ObjectIdWidth(format)) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "bad shallow line '{}' in '{}'", line,
                       AtPath{path.string()});
    }
    ids.insert(*id);
  }
  return std::vector<ObjectId>(ids.begin(), ids.end());
}

}  // namespace zpack
