// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "api/convert_destination.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "format/constants.h"
#include "git/repository_layout.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// REQUIRES: `path` has no symbolic links.
bool IsInside(const fs::path& path, const std::string& named) {
  std::error_code error;
  const fs::path directory = fs::canonical(named, error);
  if (error) return false;
  return std::mismatch(directory.begin(), directory.end(), path.begin(),
                       path.end())
             .first == directory.end();
}

// Returns whether the file starts with the signature of .zpack files.
bool IsZpackFile(const std::string& path) {
  const auto file = PosixFileSystem().OpenForRead(path);
  if (!file) return false;
  Bytes expected;
  ByteWriter to(expected);
  to.U32(format::kPackSignature);
  to.U32(format::kPackVersion);
  Bytes actual(expected.size());
  return (*file)->Read(0, actual) && actual == expected;
}

}  // namespace

Status CheckConvertDestination(const RepositoryLocation& repository,
                               const std::string& path) {
  std::error_code error;
  fs::path target = fs::absolute(path, error);
  if (!error) target = fs::weakly_canonical(target, error);
  // Creating the file reports whatever is wrong with the path.
  if (error) return {};
  ZPACK_ASSIGN_OR_RETURN(const auto directories,
                         ListObjectDirectories(repository.common_directory));
  std::vector<std::string> reserved = directories.found;
  const std::array owners = {repository.git_directory,
                             repository.common_directory};
  for (const std::string& owner : owners) reserved.push_back(owner + "/refs");
  // A file with the name of a lock would keep Git from working.
  if (target.extension() == ".lock") {
    reserved.insert(reserved.end(), owners.begin(), owners.end());
  }
  for (const std::string& directory : reserved) {
    if (!IsInside(target, directory)) continue;
    return MakeError(ErrorCode::kInvalidArgument,
                     "'{}' is inside '{}', which is for Git's own files; "
                     "choose another place",
                     AtPath{path}, AtPath{directory});
  }
  for (const std::string& directory : owners) {
    if (!IsInside(target, directory) || !fs::is_regular_file(target, error) ||
        IsZpackFile(target.string())) {
      continue;
    }
    return MakeError(ErrorCode::kInvalidArgument,
                     "'{}' belongs to the repository '{}' and is not a .zpack "
                     "file, so it is not replaced",
                     AtPath{path}, AtPath{directory});
  }
  return {};
}

}  // namespace zpack
