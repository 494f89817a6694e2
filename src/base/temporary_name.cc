// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/temporary_name.h"

#include <climits>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

namespace zpack {

std::string TemporaryPathFor(const std::string& path) {
  constexpr std::string_view kSuffix = ".zpack-tmp";
  constexpr size_t kMaxName =
      NAME_MAX - 1 - kSuffix.size() - std::string_view(".lock").size();
  constexpr size_t kDigits = 16;
  std::string name = FileNameOf(path);
  if (name.size() > kMaxName) {
    const uint64_t hash = Checksum(AsBytes(name));
    name.resize(kMaxName - kDigits);
    name += fmt::format("{:016x}", hash);
  }
  return fmt::format("{}/.{}{}", DirectoryOf(path), name, kSuffix);
}

}  // namespace zpack
