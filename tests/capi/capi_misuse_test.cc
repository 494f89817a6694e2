// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The C interface as programs in other languages call it by mistake: without
// arguments that are needed, with numbers that nobody means, in a wrong order.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack.h"

namespace zpack::testing {
namespace {

class CApiMisuse : public ::testing::Test {
 protected:
  CApiMisuse() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    tip_ = repo_.History(4);
    EXPECT_EQ(zpack_convert(repo_.path().c_str(), file_.c_str(), nullptr),
              ZPACK_OK);
    EXPECT_EQ(zpack_open(&archive_, file_.c_str(), nullptr), ZPACK_OK);
    EXPECT_EQ(zpack_oid_from_hex(&oid_, tip_.c_str()), ZPACK_OK);
  }
  ~CApiMisuse() override { zpack_archive_free(archive_); }

  // An invalid call, which says so.
  static void ExpectInvalid(int returned) {
    EXPECT_EQ(returned, ZPACK_EINVALID);
    EXPECT_EQ(zpack_error_last()->code, ZPACK_EINVALID);
    EXPECT_STRNE(zpack_error_last()->message, "");
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
  std::string tip_;
  zpack_archive* archive_ = nullptr;
  zpack_oid oid_ = {};
};

TEST_F(CApiMisuse, MissingArgumentsAreErrors) {
  zpack_archive* archive = nullptr;
  ExpectInvalid(zpack_open(nullptr, file_.c_str(), nullptr));
  ExpectInvalid(zpack_open(&archive, nullptr, nullptr));
  ExpectInvalid(zpack_open_options_init(nullptr, 1));
  ExpectInvalid(zpack_foreach_options_init(nullptr, 1));
  ExpectInvalid(zpack_walk_options_init(nullptr, 1));
  ExpectInvalid(zpack_verify_options_init(nullptr, 1));
  ExpectInvalid(zpack_convert_options_init(nullptr, 1));
  ExpectInvalid(zpack_consolidate_options_init(nullptr, 1));
  ExpectInvalid(zpack_restore_options_init(nullptr, 1));
  ExpectInvalid(zpack_repack_options_init(nullptr, 1));
  ExpectInvalid(zpack_search_options_init(nullptr, 1));
  ExpectInvalid(zpack_log_options_init(nullptr, 1));
  zpack_oid oid;
  ExpectInvalid(zpack_oid_from_hex(nullptr, tip_.c_str()));
  ExpectInvalid(zpack_oid_from_hex(&oid, nullptr));
  for (zpack_archive* const none : {archive, archive_}) {
    const char* const name = none == nullptr ? "HEAD" : nullptr;
    ExpectInvalid(zpack_resolve(&oid, none, name));
    ExpectInvalid(zpack_resolve_abbreviation(&oid, none, name));
    ExpectInvalid(zpack_stream_file(
        none, name, [](const unsigned char*, size_t, void*) { return 0; },
        nullptr));
  }
  ExpectInvalid(zpack_resolve(nullptr, archive_, "HEAD"));
  ExpectInvalid(zpack_resolve_abbreviation(nullptr, archive_, "1"));
  int contains = 0;
  ExpectInvalid(zpack_contains(nullptr, archive_, &oid_));
  ExpectInvalid(zpack_contains(&contains, nullptr, &oid_));
  ExpectInvalid(zpack_contains(&contains, archive_, nullptr));
  ExpectInvalid(zpack_read_header(nullptr, nullptr, nullptr, &oid_));
  zpack_object object = {};
  ExpectInvalid(zpack_read(nullptr, archive_, &oid_));
  ExpectInvalid(zpack_read(&object, nullptr, &oid_));
  ExpectInvalid(zpack_read(&object, archive_, nullptr));
}

TEST_F(CApiMisuse, MissingCallbacksAreErrors) {
  ExpectInvalid(zpack_foreach_ref(archive_, nullptr, nullptr));
  ExpectInvalid(zpack_stream(archive_, &oid_, nullptr, nullptr));
  ExpectInvalid(zpack_foreach_oid(archive_, 0, nullptr, nullptr));
  ExpectInvalid(zpack_foreach_object(archive_, nullptr, nullptr, nullptr));
  ExpectInvalid(zpack_foreach_file(archive_, nullptr, nullptr));
  ExpectInvalid(zpack_stream_file(archive_, "config", nullptr, nullptr));
  ExpectInvalid(zpack_walk(archive_, nullptr, nullptr, nullptr));
  const auto none = [](const zpack_ref*, void*) { return 0; };
  ExpectInvalid(zpack_foreach_ref(nullptr, none, nullptr));
  zpack_walk_options walk = ZPACK_WALK_OPTIONS_INIT;
  walk.start_count = 1;
  ExpectInvalid(zpack_walk(
      archive_, &walk, [](const zpack_walked*, void*) { return 0; }, nullptr));
}

TEST_F(CApiMisuse, MissingArgumentsOfSearchesAreErrors) {
  const char* const pattern = "x";
  zpack_search_options given = ZPACK_SEARCH_OPTIONS_INIT;
  given.patterns = &pattern;
  given.pattern_count = 1;
  const auto file = [](const zpack_searched_file*, void*) { return 0; };
  const auto match = [](const zpack_history_match*, void*) { return 0; };
  const auto blob = [](const zpack_matching_blob*, void*) { return 0; };
  ExpectInvalid(zpack_search_tree(nullptr, &oid_, &given, file, nullptr));
  ExpectInvalid(zpack_search_tree(archive_, nullptr, &given, file, nullptr));
  ExpectInvalid(zpack_search_tree(archive_, &oid_, nullptr, file, nullptr));
  ExpectInvalid(zpack_search_tree(archive_, &oid_, &given, nullptr, nullptr));
  ExpectInvalid(zpack_search_history(nullptr, &given, match, nullptr));
  ExpectInvalid(zpack_search_history(archive_, nullptr, match, nullptr));
  ExpectInvalid(zpack_search_history(archive_, &given, nullptr, nullptr));
  ExpectInvalid(zpack_search_versions(nullptr, &given, blob, nullptr));
  ExpectInvalid(zpack_search_versions(archive_, nullptr, blob, nullptr));
  ExpectInvalid(zpack_search_versions(archive_, &given, nullptr, nullptr));
  given.paths = nullptr;
  given.path_count = 1;
  ExpectInvalid(zpack_search_history(archive_, &given, match, nullptr));
  given.path_count = 0;
  given.patterns = nullptr;
  ExpectInvalid(zpack_search_history(archive_, &given, match, nullptr));
}

TEST_F(CApiMisuse, MissingArgumentsOfTheLogAreErrors) {
  zpack_log_options given = ZPACK_LOG_OPTIONS_INIT;
  const auto commit = [](const zpack_commit*, void*) { return 0; };
  ExpectInvalid(zpack_log(nullptr, &given, commit, nullptr));
  ExpectInvalid(zpack_log(archive_, &given, nullptr, nullptr));
  EXPECT_EQ(zpack_log(archive_, nullptr, commit, nullptr), ZPACK_OK);
  given.start_count = 1;
  ExpectInvalid(zpack_log(archive_, &given, commit, nullptr));
  given.start_count = 0;
  given.excluded_count = 1;
  ExpectInvalid(zpack_log(archive_, &given, commit, nullptr));
  given.excluded_count = 0;
  given.path_count = 1;
  ExpectInvalid(zpack_log(archive_, &given, commit, nullptr));
  given.path_count = 0;
  const zpack_oid none = {};
  given.starts = &none;
  given.start_count = 1;
  ExpectInvalid(zpack_log(archive_, &given, commit, nullptr));
}

TEST_F(CApiMisuse, MissingPathsAreErrors) {
  const std::string out = dir_ / "out";
  zpack_report* report = nullptr;
  ExpectInvalid(zpack_verify(nullptr, file_.c_str(), nullptr, nullptr));
  ExpectInvalid(zpack_verify(&report, nullptr, nullptr, nullptr));
  // An empty name is that of no repository, not the lack of one.
  EXPECT_EQ(zpack_verify(&report, file_.c_str(), "", nullptr), ZPACK_ENOTFOUND);
  ExpectInvalid(zpack_convert(nullptr, out.c_str(), nullptr));
  ExpectInvalid(zpack_convert(repo_.path().c_str(), nullptr, nullptr));
  ExpectInvalid(zpack_consolidate(nullptr, nullptr, out.c_str(), nullptr));
  ExpectInvalid(zpack_consolidate(nullptr, file_.c_str(), nullptr, nullptr));
  ExpectInvalid(zpack_restore(nullptr, out.c_str(), nullptr));
  ExpectInvalid(zpack_restore(file_.c_str(), nullptr, nullptr));
  ExpectInvalid(zpack_repack(nullptr, nullptr));
}

TEST_F(CApiMisuse, NothingIsSaidOfNothing) {
  EXPECT_EQ(zpack_oid_size(nullptr), 0U);
  EXPECT_EQ(zpack_object_count(nullptr), 0U);
  zpack_cost cost = {1, 1};
  zpack_read_cost(&cost, nullptr);
  EXPECT_EQ(cost.blocks, 0U);
  zpack_ref head = {};
  zpack_head(&head, nullptr);
  EXPECT_EQ(head.target.size, 0U);
  EXPECT_EQ(zpack_report_ok(nullptr), 0);
  EXPECT_EQ(zpack_report_objects(nullptr), 0U);
  EXPECT_EQ(zpack_report_verified(nullptr), 0U);
  EXPECT_EQ(zpack_report_damage_count(nullptr), 0U);
  EXPECT_EQ(zpack_report_damage(nullptr, 0), nullptr);
  EXPECT_EQ(zpack_report_difference_count(nullptr), 0U);
  EXPECT_EQ(zpack_report_difference(nullptr, 0), nullptr);
  zpack_object_dispose(nullptr);
  zpack_archive_free(nullptr);
  zpack_report_free(nullptr);
  std::string hex(ZPACK_OID_HEX_SIZE, 'x');
  zpack_oid_to_hex(hex.data(), nullptr);
  EXPECT_STREQ(hex.c_str(), "");
  zpack_oid_to_hex(nullptr, &oid_);
  zpack_head(nullptr, archive_);
  zpack_read_cost(nullptr, archive_);
  EXPECT_NE(zpack_oid_compare(&oid_, nullptr), 0);
  EXPECT_EQ(zpack_oid_compare(nullptr, nullptr), 0);
}

TEST_F(CApiMisuse, DisposingTwiceIsHarmless) {
  zpack_object object = {};
  ASSERT_EQ(zpack_read(&object, archive_, &oid_), ZPACK_OK);
  zpack_object_dispose(&object);
  zpack_object_dispose(&object);
  EXPECT_EQ(object.data, nullptr);
}

TEST_F(CApiMisuse, IdsOfNoFormatAreErrors) {
  for (const unsigned char size : {1, 19, 21, 33, 255}) {
    zpack_oid odd = oid_;
    odd.size = size;
    zpack_object object = {};
    ExpectInvalid(zpack_read(&object, archive_, &odd));
    std::string hex(ZPACK_OID_HEX_SIZE, 'x');
    zpack_oid_to_hex(hex.data(), &odd);
    EXPECT_STREQ(hex.c_str(), "");
  }
  // One of the other format is not in the file.
  zpack_oid other = oid_;
  other.size = 32;
  zpack_object object = {};
  EXPECT_EQ(zpack_read(&object, archive_, &other), ZPACK_ENOTFOUND);
}

TEST_F(CApiMisuse, NumbersThatNobodyMeansEndInOrder) {
  const std::string copy = dir_ / "copy.zpack";
  for (const unsigned threads : {1000U, UINT32_MAX}) {
    zpack_run_options run = ZPACK_RUN_OPTIONS_INIT;
    run.threads = threads;
    for (const uint64_t memory : {uint64_t{1}, UINT64_MAX}) {
      run.memory = memory;
      zpack_verify_options verify = ZPACK_VERIFY_OPTIONS_INIT;
      verify.run = run;
      zpack_report* report = nullptr;
      const int verified =
          zpack_verify(&report, file_.c_str(), nullptr, &verify);
      EXPECT_TRUE(verified == ZPACK_OK || verified == ZPACK_ENOMEMORY)
          << zpack_error_last()->message;
      zpack_report_free(report);
      zpack_convert_options convert = ZPACK_CONVERT_OPTIONS_INIT;
      convert.run = run;
      convert.overwrite = 1;
      const int converted =
          zpack_convert(repo_.path().c_str(), copy.c_str(), &convert);
      EXPECT_TRUE(converted == ZPACK_OK || converted == ZPACK_ENOMEMORY)
          << zpack_error_last()->message;
    }
    zpack_foreach_options each = ZPACK_FOREACH_OPTIONS_INIT;
    each.threads = threads;
    each.max_content = UINT64_MAX;
    const int visited = zpack_foreach_object(
        archive_, &each, [](const zpack_object_view*, void*) { return 0; },
        nullptr);
    EXPECT_TRUE(visited == ZPACK_OK || visited == ZPACK_ENOMEMORY)
        << zpack_error_last()->message;
  }
  for (const uint64_t limit : {uint64_t{1}, UINT64_MAX}) {
    zpack_open_options options = {
        ZPACK_OPEN_OPTIONS_VERSION, limit, limit, limit, limit, 7, nullptr, 0};
    zpack_archive* archive = nullptr;
    const int opened = zpack_open(&archive, file_.c_str(), &options);
    zpack_object object = {};
    const int read =
        opened == ZPACK_OK ? zpack_read(&object, archive, &oid_) : opened;
    EXPECT_EQ(read, limit == 1 ? ZPACK_ELIMIT : ZPACK_OK)
        << zpack_error_last()->message;
    zpack_object_dispose(&object);
    zpack_archive_free(archive);
  }
}

// A callback may call the library again, and its value ends the call.
TEST_F(CApiMisuse, CallbacksThatCallAgainAndFail) {
  struct Payload {
    zpack_archive* archive;
    int calls;
  } payload = {archive_, 0};
  const auto again = [](const zpack_oid* oid, void* data) {
    auto* const given = static_cast<Payload*>(data);
    zpack_object object = {};
    EXPECT_EQ(zpack_read(&object, given->archive, oid), ZPACK_OK);
    zpack_object_dispose(&object);
    const zpack_oid none = {};
    EXPECT_EQ(zpack_read(&object, given->archive, &none), ZPACK_EINVALID);
    return ++given->calls == 3 ? 42 : 0;
  };
  for (const int order : {ZPACK_ORDER_ID, ZPACK_ORDER_STORAGE}) {
    payload.calls = 0;
    EXPECT_EQ(zpack_foreach_oid(archive_, order, again, &payload), 42);
    EXPECT_EQ(payload.calls, 3);
  }
  const std::string out = dir_ / "never";
  zpack_restore_options restore = ZPACK_RESTORE_OPTIONS_INIT;
  restore.run.progress = [](const zpack_progress*, void*) { return -7; };
  EXPECT_EQ(zpack_restore(file_.c_str(), out.c_str(), &restore),
            ZPACK_EINTERRUPTED);
  EXPECT_FALSE(Exists(out));
}

}  // namespace
}  // namespace zpack::testing
