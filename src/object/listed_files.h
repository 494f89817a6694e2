// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The interface between the library and the files of a repository that hold
// neither objects nor refs.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/repository_files.h"
#include "zpack/result.h"

namespace zpack {

// The ending of the name of a file that was restored, but that Git does not
// use.
inline constexpr std::string_view kInactiveEnding = ".archived";
std::string InactiveName(std::string_view name);

// Whether a file of this group can come back in its place.
enum class Restoration : uint8_t {
  kAlways,
  kTrusted,  // only if the user trusts the file: Git may run what it says
  kNever,    // it describes the place where the repository was
};
Restoration RestorationOf(FileGroup group);

// True if a file of this group may have this name. Such a name never leads out
// of the directory to which it is added.
bool IsValidFileName(FileGroup group, std::string_view name);

// False for an object of Git LFS whose name is not the hash of its content.
bool NameFitsContent(const RepositoryFile& file);

// A file that a repository has.
struct ListedFile {
  FileGroup group = FileGroup::kReflogs;
  std::string name;    // in a .zpack file
  std::string source;  // below the git directory; differs for inactive hooks
  bool executable = false;
  uint64_t size = 0;
  // The content, if it is not that of a file of now.
  std::shared_ptr<const std::string> content = nullptr;
  // The directory that `source` is below, if it is not the git directory.
  std::string root = {};
  // Of a reflog without `content`: the end of its last line, when it was
  // listed.
  std::string ending = {};
};

// A path that was asked for and exists, but of which no file can be taken.
struct UnusablePath {
  std::string path;
  std::string reason;  // for people
};

struct ListedFiles {
  std::vector<ListedFile> files;  // ascending by name, each name once
  std::vector<UnusablePath> unusable;
  // For people: what was found and cannot be taken along, and why.
  std::vector<std::string> left_out;
};

// The content of a file, read from front to end.
class FileStream {
 public:
  virtual ~FileStream() = default;
  // Reads at most out.size() bytes, and returns how many; 0 at the end. kIo.
  virtual Result<size_t> Read(std::span<uint8_t> out) = 0;
};

}  // namespace zpack
