// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How large the .zpack file of a repository is with each profile.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack::cli {

struct ProfileSize {
  std::string_view profile;
  uint64_t file_bytes = 0;
  double seconds = 0;  // that the conversion took
};

// Converts the repository with each profile to a temporary file, which is not
// read back, and removes the file. Errors: those of Convert.
Result<std::vector<ProfileSize>> MeasureProfiles(const std::string& repository,
                                                 Discovery discovery,
                                                 const RunOptions& run);

void PrintProfileSizes(const std::vector<ProfileSize>& sizes,
                       std::ostream& out);
nlohmann::ordered_json ProfileSizesJson(const std::vector<ProfileSize>& sizes);

}  // namespace zpack::cli
