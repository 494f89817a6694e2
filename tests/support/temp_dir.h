// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A directory for one test, removed with everything in it, and the few file
// operations that tests need. Failures end the test program: they say nothing
// about the code under test. Thread-compatible.

#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zpack::testing {

// Ends the program when `condition` does not hold.
inline void Require(bool condition, std::string_view what) {
  if (condition) return;
  std::cerr << "test support: " << what << std::endl;
  std::abort();
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Require(in.good(), "cannot read " + path);
  std::ostringstream content;
  content << in.rdbuf();
  return std::move(content).str();
}

// Creates or replaces a file, and its directories.
inline void WriteFile(const std::string& path, std::string_view content) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  // Git makes its object files read-only.
  std::filesystem::remove(path);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.flush();
  Require(out.good(), "cannot write " + path);
}

inline bool Exists(const std::string& path) {
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}

// Names of what is in a directory, sorted.
inline std::vector<std::string> ListDirectory(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class TempDir {
 public:
  TempDir() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "zpack-test-XXXXXX").string();
    Require(mkdtemp(pattern.data()) != nullptr, "mkdtemp failed");
    path_ = std::filesystem::canonical(pattern).string();
  }
  ~TempDir() {
    std::error_code ignored;
    // Tests may have left directories that cannot be written to.
    namespace fs = std::filesystem;
    for (fs::recursive_directory_iterator it(path_, ignored), end;
         !ignored && it != end; it.increment(ignored)) {
      if (!it->is_symlink() && it->is_directory()) {
        std::error_code denied;
        fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add,
                        denied);
      }
    }
    fs::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  // The path of `name` inside.
  std::string operator/(std::string_view name) const {
    return path_ + '/' + std::string(name);
  }

 private:
  std::string path_;
};

}  // namespace zpack::testing
