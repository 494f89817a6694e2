// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "api/not_inside.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace zpack {

namespace fs = std::filesystem;

Status CheckNotInside(const std::string& path, const std::string& directory) {
  std::error_code error;
  const fs::path file = fs::canonical(path, error);
  if (error) return {};
  const fs::path target = fs::canonical(directory, error);
  if (error) return {};
  const auto [end, unused] =
      std::mismatch(target.begin(), target.end(), file.begin(), file.end());
  if (end != target.end()) return {};
  return MakeError(ErrorCode::kInvalidArgument,
                   "'{}' is inside '{}', which would be replaced", AtPath{path},
                   AtPath{directory});
}

}  // namespace zpack
