// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_file_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PackFilePoolTest : public ::testing::Test {
 protected:
  // Something as long as a pack at least, that ends unlike others.
  std::string Write(const std::string& name, char text) const {
    WriteFile(directory_ / name, std::string(40, text));
    return directory_ / name;
  }
  char FirstByte(const RandomAccessFile& file) const {
    Bytes byte(1);
    EXPECT_THAT(file.Read(0, byte), IsOk());
    return static_cast<char>(byte[0]);
  }
  // Those of the directory that this process has open.
  size_t OpenFiles() const {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const fs::path target = fs::read_symlink(entry, error);
      count += target.string().starts_with(directory_.path()) ? 1 : 0;
    }
    return count;
  }

  TempDir directory_;
  PackFilePool pool_{PosixFileSystem(), 2};
};

TEST_F(PackFilePoolTest, KeepsOnlySoManyFilesOpen) {
  std::vector<std::unique_ptr<RandomAccessFile>> files;
  for (const char name : {'a', 'b', 'c', 'd'}) {
    files.push_back(*pool_.Open(Write(std::string(1, name), name)));
    EXPECT_LE(OpenFiles(), 2U);
  }
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(FirstByte(*files[i]), "abcd"[i]);
      EXPECT_LE(OpenFiles(), 2U);
    }
  }
}

TEST_F(PackFilePoolTest, ReadsAnOpenFileThatIsGone) {
  const auto file = *pool_.Open(Write("a", 'a'));
  fs::remove(directory_ / "a");
  EXPECT_EQ(FirstByte(*file), 'a');
}

TEST_F(PackFilePoolTest, SaysWhenAClosedFileIsGoneOrAnother) {
  const auto gone = *pool_.Open(Write("gone", 'a'));
  const auto replaced = *pool_.Open(Write("replaced", 'b'));
  const auto third = *pool_.Open(Write("third", 'c'));
  const auto fourth = *pool_.Open(Write("fourth", 'd'));
  fs::remove(directory_ / "gone");
  Write("replaced", 'x');
  Bytes byte(1);
  EXPECT_THAT(gone->Read(0, byte),
              IsError(ErrorCode::kNotFound, HasSubstr("gone")));
  EXPECT_THAT(replaced->Read(0, byte),
              IsError(ErrorCode::kCorrupt, HasSubstr("replaced")));
  EXPECT_EQ(FirstByte(*third), 'c');
}

TEST_F(PackFilePoolTest, RefusesWhatIsTooShortForAPack) {
  WriteFile(directory_ / "short", "PACK");
  EXPECT_THAT(pool_.Open(directory_ / "short"),
              IsError(ErrorCode::kCorrupt, HasSubstr("too short")));
}

}  // namespace
}  // namespace zpack::testing
