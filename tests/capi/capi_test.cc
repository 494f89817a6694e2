// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The C interface says the same as the library that it stands on, and as Git.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/http_server.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct FreeArchive {
  void operator()(zpack_archive* archive) const { zpack_archive_free(archive); }
};
using Archive = std::unique_ptr<zpack_archive, FreeArchive>;

struct FreeReport {
  void operator()(zpack_report* report) const { zpack_report_free(report); }
};
using Report = std::unique_ptr<zpack_report, FreeReport>;

std::string Hex(const zpack_oid& oid) {
  std::string hex(ZPACK_OID_HEX_SIZE, 'x');
  zpack_oid_to_hex(hex.data(), &oid);
  return hex.c_str();
}

zpack_oid Oid(const std::string& hex) {
  zpack_oid oid;
  EXPECT_EQ(zpack_oid_from_hex(&oid, hex.c_str()), ZPACK_OK) << hex;
  return oid;
}

class CApi : public ::testing::Test {
 protected:
  CApi() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    tip_ = repo_.History(4);
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(tip_, "commit", "v1"));
    EXPECT_EQ(zpack_convert(repo_.path().c_str(), file_.c_str(), nullptr),
              ZPACK_OK);
    archive_ = Open(file_);
  }

  static Archive Open(const std::string& file) {
    zpack_archive* archive = nullptr;
    EXPECT_EQ(zpack_open(&archive, file.c_str(), nullptr), ZPACK_OK)
        << zpack_error_last()->message;
    return Archive(archive);
  }

  // Changes a byte of the first block.
  void Damage() const {
    std::string bytes = ReadFile(file_);
    bytes[bytes.find("BLCK") + 60] ^= 1;
    WriteFile(file_, bytes);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
  std::string tip_;
  Archive archive_;
};

TEST_F(CApi, SaysWhatIsWrong) {
  zpack_archive* archive = nullptr;
  const std::string missing = dir_ / "missing";
  EXPECT_EQ(zpack_open(&archive, missing.c_str(), nullptr), ZPACK_ENOTFOUND);
  EXPECT_EQ(zpack_error_last()->code, ZPACK_ENOTFOUND);
  EXPECT_THAT(zpack_error_last()->message, HasSubstr(missing));
  EXPECT_EQ(archive, nullptr);
  WriteFile(missing, "no such file, but text");
  EXPECT_EQ(zpack_open(&archive, missing.c_str(), nullptr), ZPACK_EUNSUPPORTED);
  zpack_oid oid;
  EXPECT_EQ(zpack_oid_from_hex(&oid, "12"), ZPACK_EINVALID);
  EXPECT_EQ(zpack_resolve(&oid, archive_.get(), "gone"), ZPACK_ENOTFOUND);
  const zpack_oid none = {};
  zpack_object object = {};
  EXPECT_EQ(zpack_read(&object, archive_.get(), &none), ZPACK_EINVALID);
  const zpack_oid fake = Oid(FakeId('5'));
  EXPECT_EQ(zpack_read(&object, archive_.get(), &fake), ZPACK_ENOTFOUND);
  EXPECT_EQ(Hex(zpack_error_last()->object), FakeId('5'));
  EXPECT_EQ(object.owner, nullptr);
  zpack_object_dispose(&object);
}

TEST_F(CApi, RefusesUnknownVersionsOfOptions) {
  zpack_open_options options = ZPACK_OPEN_OPTIONS_INIT;
  EXPECT_EQ(zpack_open_options_init(&options, 9), ZPACK_EINVALID);
  EXPECT_EQ(zpack_open_options_init(&options, 1), ZPACK_OK);
  options.version = 9;
  zpack_archive* archive = nullptr;
  EXPECT_EQ(zpack_open(&archive, file_.c_str(), &options), ZPACK_EINVALID);
  zpack_verify_options verify;
  ASSERT_EQ(zpack_verify_options_init(&verify, ZPACK_VERIFY_OPTIONS_VERSION),
            ZPACK_OK);
  verify.level = 7;
  zpack_report* report = nullptr;
  EXPECT_EQ(zpack_verify(&report, file_.c_str(), nullptr, &verify),
            ZPACK_EINVALID);
  EXPECT_EQ(zpack_foreach_oid(
                archive_.get(), 7, [](const zpack_oid*, void*) { return 0; },
                nullptr),
            ZPACK_EINVALID);
  EXPECT_STREQ(zpack_type_name(7), "");
}

TEST_F(CApi, ListsRefsAsGitDoes) {
  std::string refs;
  const auto add = [](const zpack_ref* ref, void* payload) {
    auto& text = *static_cast<std::string*>(payload);
    text += Hex(ref->target) + ' ' + ref->name + '\n';
    if (ref->peeled.size != 0) {
      text += Hex(ref->peeled) + ' ' + ref->name + "^{}\n";
    }
    return 0;
  };
  ASSERT_EQ(zpack_foreach_ref(archive_.get(), add, &refs), ZPACK_OK);
  EXPECT_EQ(refs, repo_.Git({"show-ref", "-d"}) + '\n');
  zpack_ref head;
  zpack_head(&head, archive_.get());
  EXPECT_EQ(head.symref_target, repo_.Git({"symbolic-ref", "HEAD"}));
  zpack_oid oid;
  ASSERT_EQ(zpack_resolve(&oid, archive_.get(), "HEAD"), ZPACK_OK);
  EXPECT_EQ(Hex(oid), tip_);
  EXPECT_EQ(
      zpack_foreach_ref(
          archive_.get(), [](const zpack_ref*, void*) { return 7; }, nullptr),
      7);
}

TEST_F(CApi, ReadsObjects) {
  const zpack_oid oid = Oid(tip_);
  int contains = 0;
  ASSERT_EQ(zpack_contains(&contains, archive_.get(), &oid), ZPACK_OK);
  EXPECT_EQ(contains, 1);
  zpack_type type = ZPACK_BLOB;
  uint64_t size = 0;
  ASSERT_EQ(zpack_read_header(&type, &size, archive_.get(), &oid), ZPACK_OK);
  EXPECT_STREQ(zpack_type_name(type), "commit");
  zpack_object object;
  ASSERT_EQ(zpack_read(&object, archive_.get(), &oid), ZPACK_OK);
  const std::string content(reinterpret_cast<const char*>(object.data),
                            object.size);
  EXPECT_EQ(object.type, ZPACK_COMMIT);
  EXPECT_EQ(object.size, size);
  EXPECT_EQ(content, repo_.Git({"cat-file", "commit", "HEAD"}) + '\n');
  zpack_object_dispose(&object);
  EXPECT_EQ(object.data, nullptr);
  std::string streamed;
  const auto append = [](const unsigned char* data, size_t bytes,
                         void* payload) {
    static_cast<std::string*>(payload)->append(
        reinterpret_cast<const char*>(data), bytes);
    return 0;
  };
  ASSERT_EQ(zpack_stream(archive_.get(), &oid, append, &streamed), ZPACK_OK);
  EXPECT_EQ(streamed, content);
}

TEST_F(CApi, CountsTheBlocksThatWereRead) {
  zpack_cost cost;
  zpack_read_cost(&cost, archive_.get());
  EXPECT_EQ(cost.blocks, 0U);
  EXPECT_EQ(cost.bytes, 0U);
  const zpack_oid oid = Oid(tip_);
  for (int i = 0; i < 2; ++i) {  // the second time from the cache
    zpack_object object;
    ASSERT_EQ(zpack_read(&object, archive_.get(), &oid), ZPACK_OK);
    zpack_object_dispose(&object);
    zpack_read_cost(&cost, archive_.get());
    EXPECT_EQ(cost.blocks, 1U);
    EXPECT_GT(cost.bytes, 0U);
  }
  const zpack_cost one = cost;
  const auto ignore = [](const zpack_object_view*, void*) { return 0; };
  ASSERT_EQ(zpack_foreach_object(archive_.get(), nullptr, ignore, nullptr),
            ZPACK_OK);
  zpack_read_cost(&cost, archive_.get());
  // Blocks of commits, trees, blobs and tags.
  EXPECT_GE(cost.blocks, one.blocks + 4);
  EXPECT_GT(cost.bytes, one.bytes);
  EXPECT_LT(cost.bytes, std::filesystem::file_size(file_) + one.bytes);
}

TEST_F(CApi, ListsAndReadsFilesOfTheRepository) {
  WriteFile(repo_.path() + "/hooks/post-update", "#!/bin/sh\n");
  std::filesystem::permissions(repo_.path() + "/hooks/post-update",
                               std::filesystem::perms::owner_all);
  WriteFile(repo_.path() + "/info/exclude", "*.o\n");
  const std::string file = dir_ / "files.zpack";
  ASSERT_EQ(zpack_convert(repo_.path().c_str(), file.c_str(), nullptr),
            ZPACK_OK);
  const Archive archive = Open(file);
  std::string listed;
  const auto list = [](const zpack_file* f, void* payload) {
    if (std::string_view(f->group) == "reflogs") return 0;
    *static_cast<std::string*>(payload) +=
        std::string(f->group) + ' ' + f->name + ' ' +
        std::to_string(f->executable) + ' ' + std::to_string(f->size) + '\n';
    return 0;
  };
  ASSERT_EQ(zpack_foreach_file(archive.get(), list, &listed), ZPACK_OK);
  EXPECT_THAT(listed, HasSubstr("hooks hooks/post-update 1 10\n"));
  EXPECT_THAT(listed, HasSubstr("info info/exclude 0 4\n"));
  const auto stop = [](const zpack_file*, void*) { return 7; };
  EXPECT_EQ(zpack_foreach_file(archive.get(), stop, nullptr), 7);

  std::string content;
  const auto append = [](const unsigned char* data, size_t bytes,
                         void* payload) {
    static_cast<std::string*>(payload)->append(
        reinterpret_cast<const char*>(data), bytes);
    return 0;
  };
  ASSERT_EQ(zpack_stream_file(archive.get(), "info/exclude", append, &content),
            ZPACK_OK);
  EXPECT_EQ(content, "*.o\n");
  EXPECT_EQ(zpack_stream_file(archive.get(), "info/none", append, &content),
            ZPACK_ENOTFOUND);
}

TEST_F(CApi, VisitsAllObjectsInBothOrders) {
  std::vector<std::string> ids;
  const auto add_id = [](const zpack_oid* oid, void* payload) {
    static_cast<std::vector<std::string>*>(payload)->push_back(Hex(*oid));
    return 0;
  };
  ASSERT_EQ(
      zpack_foreach_oid(archive_.get(), ZPACK_ORDER_STORAGE, add_id, &ids),
      ZPACK_OK);
  EXPECT_THAT(ids, SizeIs(zpack_object_count(archive_.get())));
  std::vector<std::string> objects;
  const auto add = [](const zpack_object_view* object, void* payload) {
    EXPECT_NE(object->data, nullptr);
    EXPECT_EQ(object->error, nullptr);
    static_cast<std::vector<std::string>*>(payload)->push_back(
        Hex(object->oid));
    return 0;
  };
  ASSERT_EQ(zpack_foreach_object(archive_.get(), nullptr, add, &objects),
            ZPACK_OK);
  EXPECT_EQ(objects, ids);
  EXPECT_EQ(zpack_foreach_object(
                archive_.get(), nullptr,
                [](const zpack_object_view*, void*) { return 3; }, nullptr),
            3);
}

TEST_F(CApi, WalksAsGitDoes) {
  zpack_walk_options options = ZPACK_WALK_OPTIONS_INIT;
  options.all_refs = 1;
  options.objects = 1;
  std::string walked;
  const auto add = [](const zpack_walked* object, void* payload) {
    auto& text = *static_cast<std::string*>(payload);
    text += Hex(object->oid);
    if (object->type != ZPACK_COMMIT) {
      text += ' ' + std::string(object->name, object->name_size);
    }
    text += '\n';
    return 0;
  };
  ASSERT_EQ(zpack_walk(archive_.get(), &options, add, &walked), ZPACK_OK);
  EXPECT_EQ(walked, repo_.Git({"rev-list", "--objects", "--all"}) + '\n');
  const zpack_oid tip = Oid(tip_);
  options = ZPACK_WALK_OPTIONS_INIT;
  options.starts = &tip;
  options.start_count = 1;
  walked.clear();
  ASSERT_EQ(zpack_walk(archive_.get(), &options, add, &walked), ZPACK_OK);
  EXPECT_EQ(walked, repo_.Git({"rev-list", "HEAD"}) + '\n');
}

TEST_F(CApi, NamesObjectsThatCannotBeRead) {
  Damage();
  const Archive archive = Open(file_);
  struct Seen {
    int good = 0;
    int bad = 0;
  } seen;
  const auto count = [](const zpack_object_view* object, void* payload) {
    auto& all = *static_cast<Seen*>(payload);
    if (object->error == nullptr) {
      ++all.good;
    } else {
      ++all.bad;
      EXPECT_EQ(object->error->code, ZPACK_ECORRUPT);
      EXPECT_THAT(object->error->message, HasSubstr(Hex(object->oid)));
      EXPECT_EQ(object->error->has_offset, 1);
    }
    return 0;
  };
  EXPECT_EQ(zpack_foreach_object(archive.get(), nullptr, count, &seen),
            ZPACK_ECORRUPT);
  EXPECT_EQ(seen.bad, 0);
  seen = {};
  zpack_foreach_options options = ZPACK_FOREACH_OPTIONS_INIT;
  options.pass_errors = 1;
  ASSERT_EQ(zpack_foreach_object(archive.get(), &options, count, &seen),
            ZPACK_OK);
  EXPECT_GT(seen.good, 0);
  EXPECT_GT(seen.bad, 0);
}

TEST_F(CApi, VerifiesAndReportsDamage) {
  zpack_report* raw = nullptr;
  ASSERT_EQ(zpack_verify(&raw, file_.c_str(), repo_.path().c_str(), nullptr),
            ZPACK_OK);
  Report report(raw);
  EXPECT_EQ(zpack_report_ok(report.get()), 1);
  EXPECT_EQ(zpack_report_verified(report.get()),
            zpack_object_count(archive_.get()));
  repo_.SetRef("refs/heads/new", tip_);
  ASSERT_EQ(zpack_verify(&raw, file_.c_str(), repo_.path().c_str(), nullptr),
            ZPACK_OK);
  report.reset(raw);
  ASSERT_EQ(zpack_report_difference_count(report.get()), 1U);
  EXPECT_THAT(zpack_report_difference(report.get(), 0),
              HasSubstr("refs/heads/new"));
  EXPECT_EQ(zpack_report_difference(report.get(), 1), nullptr);
  Damage();
  ASSERT_EQ(zpack_verify(&raw, file_.c_str(), nullptr, nullptr), ZPACK_OK);
  report.reset(raw);
  EXPECT_EQ(zpack_report_ok(report.get()), 0);
  ASSERT_GT(zpack_report_damage_count(report.get()), 0U);
  EXPECT_EQ(zpack_report_damage(report.get(), 0)->code, ZPACK_ECORRUPT);
  EXPECT_EQ(zpack_report_damage(report.get(), 0)->path, file_);
}

TEST_F(CApi, RestoresAndRepacks) {
  const std::string restored = dir_ / "restored.git";
  ASSERT_EQ(zpack_restore(file_.c_str(), restored.c_str(), nullptr), ZPACK_OK);
  EXPECT_EQ(zpack_restore(file_.c_str(), restored.c_str(), nullptr),
            ZPACK_EEXISTS);
  zpack_repack_options options = ZPACK_REPACK_OPTIONS_INIT;
  options.remove_redundant = 1;
  options.no_reuse = 1;
  ASSERT_EQ(zpack_repack(restored.c_str(), &options), ZPACK_OK)
      << zpack_error_last()->message;
  EXPECT_TRUE(RunZpack({"verify", "-q", "--against", restored, file_}).ok());
}

TEST_F(CApi, ProgressCanStopAnOperation) {
  zpack_convert_options options = ZPACK_CONVERT_OPTIONS_INIT;
  options.overwrite = 1;
  int calls = 0;
  options.run.payload = &calls;
  options.run.progress = [](const zpack_progress* progress, void* payload) {
    EXPECT_NE(std::string_view(progress->phase), "");
    ++*static_cast<int*>(payload);
    return 0;
  };
  ASSERT_EQ(zpack_convert(repo_.path().c_str(), file_.c_str(), &options),
            ZPACK_OK);
  EXPECT_GT(calls, 2);
  options.run.progress = [](const zpack_progress*, void*) { return 1; };
  EXPECT_EQ(zpack_convert(repo_.path().c_str(), file_.c_str(), &options),
            ZPACK_EINTERRUPTED);
}

TEST_F(CApi, ProgressCanStopAnOperationThatWaitsForAServer) {
  HttpServer server([](const HttpServerRequest&) {
    return HttpServerReply{.status = 503};  // The client asks again later.
  });
  zpack_verify_options options = ZPACK_VERIFY_OPTIONS_INIT;
  options.run.progress = [](const zpack_progress* progress, void*) {
    EXPECT_EQ(std::string_view(progress->phase), "Opening");
    return 1;
  };
  zpack_report* report = nullptr;
  EXPECT_EQ(zpack_verify(&report, server.Url().c_str(), nullptr, &options),
            ZPACK_EINTERRUPTED);
  EXPECT_EQ(report, nullptr);
}

// Also at the last call, when nothing is left to do.
TEST_F(CApi, AnyCallOfProgressCanStopAComparison) {
  struct Calls {
    int left = 0;
    bool stopped = false;
  } calls;
  zpack_verify_options options = ZPACK_VERIFY_OPTIONS_INIT;
  options.run.payload = &calls;
  options.run.progress = [](const zpack_progress*, void* payload) {
    auto* const state = static_cast<Calls*>(payload);
    state->stopped |= state->left-- == 0;
    return state->stopped ? 1 : 0;
  };
  int calls_before = 0;
  do {
    calls = {calls_before++};
    zpack_report* report = nullptr;
    const int code =
        zpack_verify(&report, file_.c_str(), repo_.path().c_str(), &options);
    zpack_report_free(report);
    EXPECT_EQ(code, calls.stopped ? ZPACK_EINTERRUPTED : ZPACK_OK)
        << "after " << calls_before << " calls";
  } while (calls.stopped);
  EXPECT_GT(calls_before, 4);
}

TEST_F(CApi, SeveralThreadsUseOneArchive) {
  const zpack_oid oid = Oid(tip_);
  std::vector<std::jthread> threads;  // join before `oid` goes
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        zpack_object object;
        EXPECT_EQ(zpack_read(&object, archive_.get(), &oid), ZPACK_OK);
        zpack_object_dispose(&object);
        // Each thread has its own last error.
        zpack_oid none;
        const std::string name = "gone-" + std::to_string(round);
        EXPECT_EQ(zpack_resolve(&none, archive_.get(), name.c_str()),
                  ZPACK_ENOTFOUND);
        EXPECT_THAT(zpack_error_last()->message, HasSubstr(name));
      }
    });
  }
}

}  // namespace
}  // namespace zpack::testing
