// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that depend on each other through the C interface, and programs that
// were built for an older version of its options.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;

class CApiChain : public ::testing::Test {
 protected:
  CApiChain() : repo_(dir_ / "repo") {
    repo_.History(4);
    repo_.WriteBlob(RawToHex(RandomBytes(1, 50000)));
    Expect(ZPACK_OK,
           zpack_convert(repo_.path().c_str(), below_.c_str(), nullptr));
    repo_.SetRef("refs/heads/new", repo_.SimpleCommit("new"));
  }

  static void Expect(int code, int returned) {
    EXPECT_EQ(returned, code) << zpack_error_last()->message;
  }
  int ConvertOnto(zpack_convert_options options = ZPACK_CONVERT_OPTIONS_INIT) {
    if (options.onto == nullptr) options.onto = below_.c_str();
    return zpack_convert(repo_.path().c_str(), file_.c_str(), &options);
  }
  // Moves the file below to another directory, whose path is returned.
  std::string MoveBelow() const {
    const std::string place = dir_ / "place";
    std::filesystem::create_directories(place);
    std::filesystem::rename(below_, place + "/renamed.zpack");
    return place;
  }
  static uint32_t ObjectsOf(const std::string& file) {
    zpack_archive* archive = nullptr;
    Expect(ZPACK_OK, zpack_open(&archive, file.c_str(), nullptr));
    const uint32_t count = zpack_object_count(archive);
    zpack_archive_free(archive);
    return count;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string below_ = dir_ / "a.zpack";
  std::string file_ = dir_ / "b.zpack";
  std::string output_ = dir_ / "c.zpack";
};

TEST_F(CApiChain, ConvertsOntoAFile) {
  int written = 7;
  zpack_convert_options options = ZPACK_CONVERT_OPTIONS_INIT;
  options.skip_unchanged = 1;
  options.written = &written;
  Expect(ZPACK_OK, ConvertOnto(options));
  EXPECT_EQ(written, 1);
  EXPECT_LT(std::filesystem::file_size(file_),
            std::filesystem::file_size(below_));
  EXPECT_TRUE(
      RunZpack({"verify", "-q", "--against", repo_.path(), file_}).ok());
  // Nothing has changed since.
  options.onto = file_.c_str();
  Expect(ZPACK_OK,
         zpack_convert(repo_.path().c_str(), output_.c_str(), &options));
  EXPECT_EQ(written, 0);
  EXPECT_FALSE(Exists(output_));
  options.base = below_.c_str();
  written = 7;
  Expect(ZPACK_EINVALID,
         zpack_convert(repo_.path().c_str(), output_.c_str(), &options));
  EXPECT_EQ(written, 7);
}

TEST_F(CApiChain, KeepsAFileOnWhichOthersDepend) {
  Expect(ZPACK_OK, ConvertOnto());
  const std::string before = ReadFile(below_);
  zpack_convert_options options = ZPACK_CONVERT_OPTIONS_INIT;
  options.overwrite = 1;
  Expect(ZPACK_EEXISTS,
         zpack_convert(repo_.path().c_str(), below_.c_str(), &options));
  EXPECT_THAT(zpack_error_last()->message,
              HasSubstr("'" + file_ + "' depends on it"));
  EXPECT_TRUE(ReadFile(below_) == before);
  options.lose_dependents = 1;
  Expect(ZPACK_OK,
         zpack_convert(repo_.path().c_str(), below_.c_str(), &options));
  zpack_archive* archive = nullptr;
  Expect(ZPACK_ENOTFOUND, zpack_open(&archive, file_.c_str(), nullptr));
}

TEST_F(CApiChain, LooksForFilesElsewhere) {
  Expect(ZPACK_OK, ConvertOnto());
  const std::string place = MoveBelow();
  const std::array<const char*, 2> places = {"/missing", place.c_str()};
  zpack_open_options open = ZPACK_OPEN_OPTIONS_INIT;
  zpack_archive* archive = nullptr;
  Expect(ZPACK_ENOTFOUND, zpack_open(&archive, file_.c_str(), &open));
  EXPECT_THAT(zpack_error_last()->message, HasSubstr("depends on 'a.zpack'"));
  open.backing = places.data();
  open.backing_count = places.size();
  Expect(ZPACK_OK, zpack_open(&archive, file_.c_str(), &open));
  const uint32_t objects = zpack_object_count(archive);
  zpack_archive_free(archive);

  zpack_verify_options verify = ZPACK_VERIFY_OPTIONS_INIT;
  verify.backing = places.data();
  verify.backing_count = places.size();
  for (const int own : {0, 1}) {
    verify.own = own;
    zpack_report* report = nullptr;
    Expect(ZPACK_OK, zpack_verify(&report, file_.c_str(), nullptr, &verify));
    EXPECT_EQ(zpack_report_ok(report), 1);
    EXPECT_EQ(zpack_report_objects(report), objects);
    EXPECT_EQ(zpack_report_verified(report) == objects, own == 0);
    zpack_report_free(report);
  }

  zpack_restore_options restore = ZPACK_RESTORE_OPTIONS_INIT;
  const std::string restored = dir_ / "restored.git";
  Expect(ZPACK_ENOTFOUND,
         zpack_restore(file_.c_str(), restored.c_str(), &restore));
  restore.backing = places.data();
  restore.backing_count = places.size();
  Expect(ZPACK_OK, zpack_restore(file_.c_str(), restored.c_str(), &restore));

  zpack_convert_options next = ZPACK_CONVERT_OPTIONS_INIT;
  next.onto = file_.c_str();
  Expect(ZPACK_ENOTFOUND,
         zpack_convert(repo_.path().c_str(), output_.c_str(), &next));
  next.backing = places.data();
  next.backing_count = places.size();
  Expect(ZPACK_OK, zpack_convert(repo_.path().c_str(), output_.c_str(), &next));
}

TEST_F(CApiChain, MakesOneFileOfAll) {
  Expect(ZPACK_OK, ConvertOnto());
  const uint64_t bytes =
      std::filesystem::file_size(below_) + std::filesystem::file_size(file_);
  zpack_consolidated done = {};
  Expect(ZPACK_OK,
         zpack_consolidate(&done, file_.c_str(), output_.c_str(), nullptr));
  EXPECT_EQ(done.files, 2U);
  EXPECT_EQ(done.files_below, 0U);
  EXPECT_EQ(done.objects, ObjectsOf(file_));
  EXPECT_EQ(done.bytes_before, bytes);
  EXPECT_EQ(done.bytes, std::filesystem::file_size(output_));
  EXPECT_TRUE(
      RunZpack({"verify", "-q", "--against", repo_.path(), output_}).ok());
  Expect(ZPACK_EEXISTS,
         zpack_consolidate(&done, file_.c_str(), output_.c_str(), nullptr));
  zpack_consolidate_options options = ZPACK_CONSOLIDATE_OPTIONS_INIT;
  options.overwrite = 1;
  options.from = 2;
  Expect(ZPACK_OK,
         zpack_consolidate(&done, file_.c_str(), output_.c_str(), &options));
  EXPECT_EQ(done.files, 1U);
  EXPECT_EQ(done.files_below, 1U);
  // The older one is much larger.
  options.from = 1;
  options.geometric = 2;
  Expect(ZPACK_OK,
         zpack_consolidate(&done, file_.c_str(), output_.c_str(), &options));
  EXPECT_EQ(done.files, 0U);
  options.geometric = 0;
  options.profile = ZPACK_PROFILE_MAX;
  Expect(ZPACK_OK,
         zpack_consolidate(nullptr, file_.c_str(), output_.c_str(), &options));
  EXPECT_EQ(ObjectsOf(output_), ObjectsOf(file_));
  // The other file needs the one below.
  Expect(ZPACK_EEXISTS,
         zpack_consolidate(nullptr, output_.c_str(), below_.c_str(), &options));
  options.lose_dependents = 1;
  Expect(ZPACK_OK,
         zpack_consolidate(nullptr, output_.c_str(), below_.c_str(), &options));
}

TEST_F(CApiChain, RefusesOptionsThatNobodyMeans) {
  Expect(ZPACK_OK, ConvertOnto());
  zpack_consolidate_options options;
  const auto refuse = [&](auto change) {
    Expect(ZPACK_OK, zpack_consolidate_options_init(
                         &options, ZPACK_CONSOLIDATE_OPTIONS_VERSION));
    change();
    Expect(ZPACK_EINVALID, zpack_consolidate(nullptr, file_.c_str(),
                                             output_.c_str(), &options));
    EXPECT_FALSE(Exists(output_));
  };
  refuse([&] { options.version = 2; });
  refuse([&] { options.profile = 4; });
  refuse([&] { options.profile = -2; });
  refuse([&] { options.from = 0; });
  refuse([&] { options.from = 3; });
  refuse([&] { options.geometric = 1; });
  refuse([&] {
    options.geometric = 2;
    options.from = 2;
  });
  refuse([&] { options.backing_count = 1; });
  const std::array<const char*, 2> places = {"x", nullptr};
  refuse([&] {
    options.backing = places.data();
    options.backing_count = places.size();
  });
}

// Checks that `init` of version 1 sets what `Options` had then, `size` bytes.
template <typename Options>
void ExpectFirstVersion(int (*init)(Options*, unsigned), size_t size) {
  Options options;
  std::memset(&options, 0x5a, sizeof(options));
  EXPECT_EQ(init(&options, 1), ZPACK_OK);
  EXPECT_EQ(options.version, 1U);
  std::vector<unsigned char> bytes(sizeof(options));
  std::memcpy(bytes.data(), &options, bytes.size());
  for (size_t at = size; at < bytes.size(); ++at) {
    EXPECT_EQ(bytes[at], 0x5a) << at;
  }
}

TEST_F(CApiChain, ProgramsOfTheFirstVersionStillWork) {
  ExpectFirstVersion(zpack_open_options_init,
                     offsetof(zpack_open_options, backing));
  ExpectFirstVersion(zpack_verify_options_init,
                     offsetof(zpack_verify_options, own));
  ExpectFirstVersion(zpack_convert_options_init,
                     offsetof(zpack_convert_options, onto));
  ExpectFirstVersion(zpack_restore_options_init,
                     offsetof(zpack_restore_options, backing));
  // What follows is not theirs.
  zpack_convert_options convert;
  std::memset(&convert, 0x5a, sizeof(convert));
  ASSERT_EQ(zpack_convert_options_init(&convert, 1), ZPACK_OK);
  Expect(ZPACK_OK,
         zpack_convert(repo_.path().c_str(), output_.c_str(), &convert));
  zpack_open_options open;
  std::memset(&open, 0x5a, sizeof(open));
  ASSERT_EQ(zpack_open_options_init(&open, 1), ZPACK_OK);
  zpack_archive* archive = nullptr;
  Expect(ZPACK_OK, zpack_open(&archive, output_.c_str(), &open));
  zpack_archive_free(archive);
  zpack_verify_options verify;
  std::memset(&verify, 0x5a, sizeof(verify));
  ASSERT_EQ(zpack_verify_options_init(&verify, 1), ZPACK_OK);
  zpack_report* report = nullptr;
  Expect(ZPACK_OK, zpack_verify(&report, output_.c_str(), nullptr, &verify));
  EXPECT_EQ(zpack_report_verified(report), zpack_report_objects(report));
  zpack_report_free(report);
}

}  // namespace
}  // namespace zpack::testing
