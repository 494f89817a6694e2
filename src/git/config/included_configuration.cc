// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/included_configuration.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"

namespace zpack {
namespace {

constexpr int kMaxIncludeDepth = 10;  // as in Git
constexpr uint64_t kMaxFiles = 10000;

bool IsRemoteUrl(std::string_view name) {
  constexpr std::string_view kUrl = ".url";
  constexpr std::string_view kRemote = "remote.";
  return name.starts_with(kRemote) && name.ends_with(kUrl) &&
         name.size() > kRemote.size() + kUrl.size() - 1 &&
         name.rfind('.') >= kRemote.size();
}

// The condition in "includeif.<condition>.path". Nothing for other names.
std::optional<std::string_view> ConditionOf(std::string_view name) {
  constexpr std::string_view kPath = ".path";
  if (!SkipPrefix("includeif.", name) || !name.ends_with(kPath)) {
    return std::nullopt;
  }
  name.remove_suffix(kPath.size());
  return name;
}

// What is taken of the entries: all of them, or the URLs of remotes, for which
// the files of every 'hasconfig:' are read. These must not hold such URLs,
// since they would decide about themselves.
enum class Taken : uint8_t { kAll, kRemoteUrls, kNothing };

class Reader {
 public:
  Reader(std::span<const ConfigurationFile> files,
         std::span<const ConfigEntry> command_line,
         const IncludeContext& context)
      : files_(files), command_line_(command_line), context_(context) {}

  Result<Configuration> Read() {
    ZPACK_TRY(ReadLevels(Taken::kAll));
    return Configuration(std::move(entries_));
  }

 private:
  // Where an entry stands.
  struct Place {
    std::string file;  // empty for the command line
    int depth;         // of includes
    Taken taken;
  };

  Status ReadLevels(Taken taken) {
    for (const ConfigurationFile& file : files_) {
      ZPACK_TRY(ReadFile(file, {file.path, 0, taken}));
    }
    for (const ConfigEntry& entry : command_line_) {
      ZPACK_TRY(Take(entry, {"", 0, taken}));
    }
    return {};
  }

  Status ReadFile(const ConfigurationFile& file, const Place& place) {
    ZPACK_ASSIGN_OR_RETURN(const auto text,
                           ReadConfigurationText(file.path, file.denied));
    if (!text) return {};
    bytes_ += text->size();
    if (++file_count_ > kMaxFiles || bytes_ > kMaxConfigurationBytes) {
      return TooLarge(file.path);
    }
    return ParseConfiguration(*text, file.path, [&](ConfigEntry entry) {
      return Take(std::move(entry), place);
    });
  }

  static std::unexpected<Error> TooLarge(const std::string& path) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "config files include too much, at '{}'", AtPath{path});
  }

  Status Take(ConfigEntry entry, const Place& place) {
    const std::string name = entry.name;
    const ConfigValue value = entry.value;
    ZPACK_TRY(Keep(std::move(entry), place));
    if (name == "include.path") return Include(name, value, place, place.taken);
    const auto condition = ConditionOf(name);
    if (!condition) return {};
    ZPACK_ASSIGN_OR_RETURN(const bool holds, Holds(*condition, place));
    if (!holds) return {};
    const bool only_reads = place.taken != Taken::kAll;
    return Include(name, value, place,
                   only_reads ? Taken::kNothing : Taken::kAll);
  }

  Status Keep(ConfigEntry entry, const Place& place) {
    if (place.taken == Taken::kAll) {
      kept_bytes_ +=
          entry.name.size() + (entry.value ? entry.value->size() : 0);
      if (kept_bytes_ > kMaxConfigurationBytes) return TooLarge(place.file);
      entries_.push_back(std::move(entry));
      return {};
    }
    if (!IsRemoteUrl(entry.name)) return {};
    if (place.taken == Taken::kNothing) {
      return MakeError(ErrorCode::kGit,
                       "remote URLs cannot be configured in file directly or "
                       "indirectly included by "
                       "includeIf.hasconfig:remote.*.url, but '{}' has one",
                       AtPath{place.file});
    }
    if (entry.value) urls_->push_back(*std::move(entry.value));
    return {};
  }

  Result<bool> Holds(std::string_view condition, const Place& place) {
    if (SkipPrefix("gitdir:", condition)) {
      return MatchesGitDirectory(context_, condition, place.file,
                                 LetterCase::kExact);
    }
    if (SkipPrefix("gitdir/i:", condition)) {
      return MatchesGitDirectory(context_, condition, place.file,
                                 LetterCase::kIgnore);
    }
    if (SkipPrefix("onbranch:", condition)) {
      return MatchesBranch(context_, std::string(condition));
    }
    if (!SkipPrefix("hasconfig:remote.*.url:", condition)) return false;
    if (place.taken != Taken::kAll) return true;
    if (!urls_) {
      urls_.emplace();
      ZPACK_TRY(ReadLevels(Taken::kRemoteUrls));
    }
    return MatchesUrl(*urls_, condition);
  }

  Status Include(const std::string& name, const ConfigValue& value,
                 const Place& place, Taken taken) {
    if (!value) {
      return MakeError(ErrorCode::kGit, "missing value for '{}'", name);
    }
    auto path = ExpandConfigPath(*value);
    if (!path) {
      return MakeError(ErrorCode::kGit, "could not expand include path '{}'",
                       *value);
    }
    if (!path->starts_with('/')) {
      if (place.file.empty()) {
        return MakeError(ErrorCode::kGit,
                         "relative config includes must come from files: '{}'",
                         *value);
      }
      if (const size_t slash = place.file.rfind('/');
          slash != std::string::npos) {
        path->insert(0, place.file, 0, slash + 1);
      }
    }
    if (place.depth == kMaxIncludeDepth) return TooDeep(*path, place.file);
    return ReadFile({*path}, {*path, place.depth + 1, taken});
  }

  // A file that does not exist is not too deep.
  static Status TooDeep(const std::string& path, const std::string& from) {
    ZPACK_ASSIGN_OR_RETURN(const auto text, ReadConfigurationText(path));
    if (!text) return {};
    return MakeError(ErrorCode::kGit,
                     "exceeded maximum include depth ({}) while including '{}' "
                     "from '{}'; this might be due to circular includes",
                     kMaxIncludeDepth, AtPath{path}, from);
  }

  std::span<const ConfigurationFile> files_;
  std::span<const ConfigEntry> command_line_;
  const IncludeContext& context_;
  std::vector<ConfigEntry> entries_;
  std::optional<std::vector<std::string>> urls_;  // once they are needed
  uint64_t file_count_ = 0;
  uint64_t bytes_ = 0;       // of files
  uint64_t kept_bytes_ = 0;  // of names and values
};

}  // namespace

Result<Configuration> ReadWithIncludes(
    std::span<const ConfigurationFile> files,
    std::span<const ConfigEntry> command_line, const IncludeContext& context) {
  return Reader(files, command_line, context).Read();
}

}  // namespace zpack
