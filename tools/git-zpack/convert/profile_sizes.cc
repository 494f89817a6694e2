// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/profile_sizes.h"

#include <fmt/format.h>

#include <chrono>
#include <ostream>

#include "convert/profile_names.h"
#include "temporary_directory.h"
#include "zpack/convert.h"

namespace zpack::cli {

Result<std::vector<ProfileSize>> MeasureProfiles(const std::string& repository,
                                                 Discovery discovery,
                                                 const RunOptions& run) {
  using Clock = std::chrono::steady_clock;
  const auto directory = TemporaryDirectory::Create();
  if (!directory) return std::unexpected(directory.error());
  ConvertOptions options;
  options.run = run;
  options.discovery = discovery;
  options.promised = AllowPromised::kYes;
  options.read_back = ReadBack::kNo;
  options.publication = Publication::kNo;
  std::vector<ProfileSize> sizes;
  for (const auto& [name, profile] : kProfileNames) {
    options.profile = profile;
    const auto start = Clock::now();
    const auto stats =
        Convert(repository, directory->path() + "/file.zpack", options);
    if (!stats) return std::unexpected(stats.error());
    const std::chrono::duration<double> taken = Clock::now() - start;
    sizes.push_back({name, stats->file_size, taken.count()});
  }
  return sizes;
}

void PrintProfileSizes(const std::vector<ProfileSize>& sizes,
                       std::ostream& out) {
  out << "\nprofile      size of the .zpack file     seconds\n";
  for (const ProfileSize& size : sizes) {
    out << fmt::format("{:11} {:24} {:11.1f}\n", size.profile, size.file_bytes,
                       size.seconds);
  }
}

nlohmann::ordered_json ProfileSizesJson(const std::vector<ProfileSize>& sizes) {
  auto rows = nlohmann::ordered_json::array();
  for (const ProfileSize& size : sizes) {
    rows.push_back({{"profile", size.profile},
                    {"file_bytes", size.file_bytes},
                    {"seconds", size.seconds}});
  }
  return rows;
}

}  // namespace zpack::cli
