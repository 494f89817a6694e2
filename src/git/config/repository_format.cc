// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/repository_format.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/directory.h"
#include "base/error.h"
#include "git/config/configuration_file.h"

namespace zpack {
namespace {

constexpr int64_t kNewestVersion = 1;
// The version of a repository that names none, for example one made by hand.
// Git then ignores all extensions.
constexpr int64_t kNoVersion = -1;

// What this library does with an extension.
enum class Support : uint8_t { kYes, kNo };

struct KnownExtension {
  std::string_view name;  // without "extensions."
  // Git respects some extensions in repositories of version 0 as well.
  int64_t first_version;
  Support support;
};
// The extensions of Git 2.55. Extensions for submodules and work trees do not
// change how objects and refs are stored.
constexpr std::array<KnownExtension, 10> kExtensions = {
    {{"noop", 0, Support::kYes},
     {"preciousobjects", 0, Support::kYes},
     {"partialclone", 0, Support::kYes},
     {"worktreeconfig", 0, Support::kYes},
     {"noop-v1", 1, Support::kYes},
     {"objectformat", 1, Support::kYes},
     {"compatobjectformat", 1, Support::kNo},
     {"refstorage", 1, Support::kYes},
     {"relativeworktrees", 1, Support::kYes},
     {"submodulepathconfig", 1, Support::kYes}}};

// Reads the entries of the file in which the format stands.
class FormatReader {
 public:
  explicit FormatReader(const RepositoryLocation& location)
      : location_(location), path_(location.common_directory + "/config") {}

  Result<RepositoryFormat> Read() {
    ZPACK_ASSIGN_OR_RETURN(const Configuration config,
                           ReadConfigurationFile(path_));
    for (const ConfigEntry& entry : config.entries()) ZPACK_TRY(Take(entry));
    if (version_ > kNewestVersion) {
      return MakeError(ErrorCode::kUnsupported,
                       "expected git repo version <= {}, found {} in '{}'",
                       kNewestVersion, version_, AtPath{path_});
    }
    for (const std::string& name : extensions_) ZPACK_TRY(Check(name));
    if (version_ != kNoVersion) {
      ZPACK_TRY(ReadOfWorktree());
      return std::move(format_);
    }
    RepositoryFormat none;
    // Nothing is deleted if anything says so.
    none.precious_objects = format_.precious_objects;
    return none;
  }

 private:
  Status ReadOfWorktree() {
    if (format_.worktree == WorktreeConfiguration::kYes) {
      ZPACK_ASSIGN_OR_RETURN(
          const Configuration config,
          ReadConfigurationFile(location_.git_directory + "/config.worktree"));
      for (const ConfigEntry& entry : config.entries()) {
        ZPACK_TRY(TakePlace(entry));
      }
    } else if (location_.git_directory != location_.common_directory) {
      format_.bare.reset();
      format_.work_tree.clear();
    }
    return {};
  }

  Status TakePlace(const ConfigEntry& entry) {
    if (entry.name == "core.bare") return Assign(format_.bare, BoolOf(entry));
    if (entry.name == "core.worktree") {
      return Assign(format_.work_tree, StringOf(entry));
    }
    return {};
  }

  Status Take(const ConfigEntry& entry) {
    std::string_view name = entry.name;
    if (name == "core.repositoryformatversion") {
      return Assign(version_, NumberOf(entry, kMaxConfigInt));
    }
    ZPACK_TRY(TakePlace(entry));
    if (!SkipPrefix("extensions.", name)) return {};
    extensions_.emplace_back(name);
    if (name == "preciousobjects") {
      return Assign(format_.precious_objects, BoolOf(entry));
    }
    if (name == "worktreeconfig") {
      ZPACK_ASSIGN_OR_RETURN(const bool yes, BoolOf(entry));
      format_.worktree =
          yes ? WorktreeConfiguration::kYes : WorktreeConfiguration::kNo;
    } else if (name == "relativeworktrees" || name == "submodulepathconfig") {
      ZPACK_TRY(BoolOf(entry));
    } else if (name == "partialclone") {
      ZPACK_TRY(StringOf(entry));
    } else if (name == "objectformat") {
      return TakeObjectFormat(entry);
    } else if (name == "refstorage") {
      return TakeRefStorage(entry);
    }
    return {};
  }

  template <typename T, typename U>
  static Status Assign(T& to, Result<U> value) {
    if (!value) return std::unexpected(std::move(value).error());
    to = *std::move(value);
    return {};
  }

  static Result<std::string> StringOf(const ConfigEntry& entry) {
    if (entry.value) return *entry.value;
    return MakeError(ErrorCode::kGit, "missing value for '{}'", entry.name);
  }

  std::unexpected<Error> Unsupported(std::string_view what,
                                     std::string_view value) const {
    return MakeError(ErrorCode::kUnsupported, "unsupported {} {} in '{}'",
                     MessageText{what}, value, AtPath{path_});
  }

  Status TakeObjectFormat(const ConfigEntry& entry) {
    ZPACK_ASSIGN_OR_RETURN(const std::string value, StringOf(entry));
    if (value == "sha1") {
      format_.object_format = ObjectFormat::kSha1;
    } else if (value == "sha256") {
      format_.object_format = ObjectFormat::kSha256;
    } else {
      return Unsupported("object format", value);
    }
    return {};
  }

  // The name of a storage, or '<name>://<directory of the refs>'.
  Status TakeRefStorage(const ConfigEntry& entry) {
    ZPACK_ASSIGN_OR_RETURN(const std::string value, StringOf(entry));
    const size_t end = value.find("://");
    const std::string_view name = std::string_view(value).substr(0, end);
    if (name == "files") {
      format_.ref_storage = RefStorage::kFiles;
    } else if (name == "reftable") {
      format_.ref_storage = RefStorage::kReftable;
    } else {
      return Unsupported("ref storage", value);
    }
    if (end == std::string::npos) return {};
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path directory =
        fs::path(location_.common_directory) / value.substr(end + 3);
    if (fs::equivalent(directory, location_.common_directory, error) &&
        !error) {
      return {};
    }
    return MakeError(
        ErrorCode::kUnsupported,
        "the refs of the repository are in another directory, '{}', which is "
        "not supported (extensions.refStorage in '{}'); convert a clone "
        "instead: git clone --mirror",
        directory.string(), AtPath{path_});
  }

  Status Check(const std::string& name) const {
    const auto known =
        std::ranges::find(kExtensions, name, &KnownExtension::name);
    const bool is_known = known != kExtensions.end();
    if (version_ == 0 && is_known && known->first_version > 0) {
      return MakeError(
          ErrorCode::kUnsupported,
          "repo version is 0, but v1-only extension found in '{}': {}",
          AtPath{path_}, name);
    }
    if (version_ >= 1 && !is_known) {
      return MakeError(ErrorCode::kUnsupported,
                       "unknown repository extension found in '{}': {}",
                       AtPath{path_}, name);
    }
    if (version_ >= 1 && known->support == Support::kNo) {
      return MakeError(ErrorCode::kUnsupported,
                       "unsupported repository extension found in '{}': {}{}; "
                       "convert a clone instead: git clone --mirror",
                       AtPath{path_}, name, MessageText{OtherIds()});
    }
    return {};
  }

  // Says where the ids of compatObjectFormat are, as gitformat-loose(5) and the
  // source of Git name the files. Empty if there are none.
  std::string OtherIds() const {
    const std::string objects = location_.common_directory + "/objects/";
    std::string path = objects + "loose-object-idx";
    if (const auto maps = ListEntries(objects + "object-map")) {
      const auto map = std::ranges::find_if(*maps, [](const auto& entry) {
        return entry.name.ends_with(".map");
      });
      if (map != maps->end()) path = objects + "object-map/" + map->name;
    }
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {};
    return FormatMessage(", with ids of the other hash in '{}'", path);
  }

  const RepositoryLocation& location_;
  std::string path_;
  int64_t version_ = kNoVersion;
  std::vector<std::string> extensions_;
  RepositoryFormat format_;
};

}  // namespace

Result<RepositoryFormat> ReadRepositoryFormat(
    const RepositoryLocation& location) {
  return FormatReader(location).Read();
}

}  // namespace zpack
