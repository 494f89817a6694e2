// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What libgit2 answers over a .zpack file is what it answers over the
// repository that the file was made of.

#include <git2.h>
#include <git2/sys/repository.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "libgit2/error_functions.h"
#include "libgit2/transcript.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack/git2.h"

namespace zpack::testing {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class LibGit2 : public ::testing::Test {
 protected:
  LibGit2() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    git_libgit2_init();
    for (int i = 0; i < 6; ++i) {
      CommitFields fields;
      fields.tree = repo_.WriteTree(TreeEntryBytes(
          "100644", "file", repo_.WriteBlob("line\n" + std::to_string(i))));
      if (!commits_.empty()) fields.parents = {commits_.back()};
      fields.message = "commit " + std::to_string(i) + "\n";
      commits_.push_back(repo_.WriteCommit(fields));
    }
    repo_.SetRef("refs/heads/main", commits_.back());
    repo_.SetRef("refs/heads/other", commits_[2]);
    repo_.SetRef("refs/tags/light", commits_[1]);
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(commits_[3], "commit", "v1"));
    repo_.Git({"symbolic-ref", "refs/heads/alias", "refs/heads/main"});
    // 256 prefixes of two digits and 400 blobs: many prefixes are ambiguous.
    for (int i = 0; i < 400; ++i) repo_.WriteBlob("blob " + std::to_string(i));
    repo_.Git({"repack", "-q", "-a", "-d"});
    repo_.Git({"pack-refs", "--all"});
    Convert();
  }
  ~LibGit2() override { git_libgit2_shutdown(); }

  void Convert() const {
    ASSERT_EQ(zpack_convert(repo_.path().c_str(), file_.c_str(), nullptr), 0)
        << zpack_error_last()->message;
  }

  Owned<git_repository> OpenArchive() const {
    git_repository* repository = nullptr;
    EXPECT_EQ(zpack_repository_open(&repository, file_.c_str(), nullptr), 0)
        << git_error_last()->message;
    return Owned<git_repository>(repository);
  }
  Owned<git_repository> OpenStock() const { return OpenStock(repo_); }
  static Owned<git_repository> OpenStock(const RepoBuilder& repo) {
    git_repository* repository = nullptr;
    EXPECT_EQ(git_repository_open(&repository, repo.path().c_str()), 0);
    return Owned<git_repository>(repository);
  }
  // The object database of `repository`, with the archive as an alternate.
  Owned<git_odb> OdbWithAlternate(git_repository* repository) const {
    git_odb* odb = nullptr;
    EXPECT_EQ(git_repository_odb(&odb, repository), 0);
    git_odb_backend* backend = nullptr;
    EXPECT_EQ(zpack_odb_backend(&backend, file_.c_str(), nullptr), 0);
    EXPECT_EQ(git_odb_add_alternate(odb, backend, 1), 0);
    return Owned<git_odb>(odb);
  }

  std::vector<std::string> Calls(git_repository* repository) const {
    Transcript transcript(repository);
    transcript.set_directory(repo_.path());
    transcript.RepositoryCalls();
    transcript.ReferenceCalls();
    transcript.RevisionCalls(commits_[4]);
    transcript.OdbCalls({commits_[0], commits_[5], repo_.WriteBlob("blob 7"),
                         repo_.WriteBlob("blob 399"), std::string(40, 'd')});
    transcript.ObjectCalls(commits_[4]);
    transcript.WalkCalls(commits_[1], commits_[5]);
    return transcript.lines;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
  std::vector<std::string> commits_;
};

TEST_F(LibGit2, AnswersAsOverTheRepository) {
  const auto archive = OpenArchive();
  const auto stock = OpenStock();
  const std::vector<std::string> expected = Calls(stock.get());
  EXPECT_GT(expected.size(), 150);
  EXPECT_THAT(Calls(archive.get()), ElementsAreArray(expected));
}

TEST_F(LibGit2, AnswersAsOverADetachedAndAnUnbornHead) {
  for (const std::string& head :
       {commits_[1], std::string("ref: refs/heads/unborn")}) {
    WriteFile(repo_.path() + "/HEAD", head + "\n");
    std::filesystem::remove(file_);
    Convert();
    const auto archive = OpenArchive();
    const auto stock = OpenStock();
    EXPECT_THAT(Calls(archive.get()), ElementsAreArray(Calls(stock.get())))
        << head;
  }
}

TEST_F(LibGit2, RefusesEveryChange) {
  const auto archive = OpenArchive();
  git_oid id;
  EXPECT_LT(git_blob_create_from_buffer(&id, archive.get(), "new", 3), 0);
  const git_oid tip = Oid(commits_.back());
  git_reference* made = nullptr;
  EXPECT_LT(git_reference_create(&made, archive.get(), "refs/heads/new", &tip,
                                 0, "why"),
            0);
  EXPECT_STREQ(git_error_last()->message, "an archive cannot be changed");
  EXPECT_LT(
      git_reference_symbolic_create(&made, archive.get(), "refs/heads/new",
                                    "refs/heads/main", 0, "why"),
      0);
  EXPECT_LT(git_reference_remove(archive.get(), "refs/heads/main"), 0);
  git_reference* main = nullptr;
  ASSERT_EQ(git_reference_lookup(&main, archive.get(), "refs/heads/main"), 0);
  const Owned<git_reference> owned(main);
  EXPECT_LT(git_reference_rename(&made, main, "refs/heads/new", 0, "why"), 0);
  EXPECT_LT(git_reference_set_target(&made, main, &tip, "why"), 0);
  EXPECT_LT(git_reference_ensure_log(archive.get(), "refs/heads/main"), 0);
  EXPECT_LT(git_reflog_delete(archive.get(), "refs/heads/main"), 0);
  EXPECT_LT(git_reflog_rename(archive.get(), "refs/heads/main", "refs/heads/n"),
            0);
  EXPECT_LT(git_repository_set_head(archive.get(), "refs/heads/other"), 0);
}

TEST_F(LibGit2, KeepsTheSettingsOfTheUser) {
  const std::string settings =
      "[user]\n\tname = someone\n"
      "[branch \"other\"]\n\tremote = mine\n\tmerge = refs/heads/x\n"
      "[remote \"mine\"]\n\turl = https://example.com/x\n";
  WriteFile(dir_ / ".gitconfig", settings);
  const auto search = [](const char* path) {
    ASSERT_EQ(git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_GLOBAL,
                               path),
              0);
  };
  search(dir_.path().c_str());
  const auto archive = OpenArchive();
  search(nullptr);
  git_config* config = nullptr;
  ASSERT_EQ(git_repository_config(&config, archive.get()), 0);
  const Owned<git_config> owned_config(config);
  git_buf name = {};
  ASSERT_EQ(git_config_get_string_buf(&name, config, "user.name"), 0);
  EXPECT_STREQ(name.ptr, "someone");
  git_buf_dispose(&name);

  EXPECT_LT(git_config_set_bool(config, "core.bare", 1), 0);
  EXPECT_LT(git_config_set_string(config, "user.name", "other"), 0);
  EXPECT_LT(git_config_delete_entry(config, "user.name"), 0);
  git_remote* made = nullptr;
  EXPECT_LT(git_remote_create(&made, archive.get(), "o", "https://x/y"), 0);
  EXPECT_EQ(made, nullptr);
  EXPECT_LT(git_remote_set_url(archive.get(), "mine", "https://x/y"), 0);
  EXPECT_LT(git_remote_delete(archive.get(), "mine"), 0);
  git_reference* other = nullptr;
  ASSERT_EQ(git_branch_lookup(&other, archive.get(), "other", GIT_BRANCH_LOCAL),
            0);
  const Owned<git_reference> owned_branch(other);
  EXPECT_LT(git_branch_set_upstream(other, "main"), 0);
  EXPECT_LT(git_branch_set_upstream(other, nullptr), 0);
  EXPECT_LT(git_branch_delete(other), 0);
  EXPECT_EQ(ReadFile(dir_ / ".gitconfig"), settings);
}

TEST_F(LibGit2, ServesAsAnAlternateWhereWritesPassBy) {
  RepoBuilder other(dir_ / "other");
  const Owned<git_repository> repository = OpenStock(other);
  const Owned<git_odb> odb = OdbWithAlternate(repository.get());

  const git_oid tip = Oid(commits_.back());
  EXPECT_EQ(git_odb_exists(odb.get(), &tip), 1);
  git_oid written;
  ASSERT_EQ(git_odb_write(&written, odb.get(), "new", 3, GIT_OBJECT_BLOB), 0);
  EXPECT_TRUE(std::filesystem::exists(other.LooseObjectPath(Hex(&written))));
}

TEST_F(LibGit2, GivesRefsToARefDatabaseOfItsOwn) {
  const auto repository = OpenStock();
  git_refdb* made = nullptr;
  ASSERT_EQ(git_refdb_new(&made, repository.get()), 0);
  git_refdb_backend* backend = nullptr;
  ASSERT_EQ(zpack_refdb_backend(&backend, file_.c_str(), nullptr), 0);
  ASSERT_EQ(git_refdb_set_backend(made, backend), 0);
  ASSERT_EQ(git_repository_set_refdb(repository.get(), made), 0);
  git_refdb_free(made);
  repo_.Git({"update-ref", "-d", "refs/heads/other"});
  git_oid id;
  ASSERT_EQ(git_reference_name_to_id(&id, repository.get(), "refs/heads/other"),
            0);
  EXPECT_EQ(Hex(&id), commits_[2]);
}

TEST_F(LibGit2, SaysWhatIsWrongWithAFile) {
  git_repository* repository = nullptr;
  const std::string missing = dir_ / "missing";
  EXPECT_EQ(zpack_repository_open(&repository, missing.c_str(), nullptr),
            GIT_ENOTFOUND);
  EXPECT_THAT(git_error_last()->message, HasSubstr(missing));
  WriteFile(missing, "no archive");
  EXPECT_EQ(zpack_repository_open(&repository, missing.c_str(), nullptr),
            GIT_ERROR);
  git_odb_backend* odb = nullptr;
  EXPECT_EQ(zpack_odb_backend(&odb, missing.c_str(), nullptr), GIT_ERROR);
  git_refdb_backend* refdb = nullptr;
  EXPECT_EQ(zpack_refdb_backend(&refdb, missing.c_str(), nullptr), GIT_ERROR);
}

TEST_F(LibGit2, RefusesMissingArguments) {
  const auto expect_invalid = [](int code) {
    EXPECT_EQ(code, GIT_EINVALID);
    ASSERT_NE(git_error_last(), nullptr);
    EXPECT_STRNE(git_error_last()->message, "");
    git_error_clear();
  };
  zpack_open_options unknown = ZPACK_OPEN_OPTIONS_INIT;
  unknown.version = 77;
  const auto try_all = [&](const char* path, const zpack_open_options* options,
                           auto* out, auto open) {
    expect_invalid(open(nullptr, path, options));
    expect_invalid(open(nullptr, nullptr, options));
    expect_invalid(open(out, nullptr, options));
    expect_invalid(open(out, path, &unknown));
    EXPECT_EQ(*out, nullptr);
  };
  const zpack_open_options known = ZPACK_OPEN_OPTIONS_INIT;
  for (const zpack_open_options* options :
       {&known, static_cast<const zpack_open_options*>(nullptr)}) {
    git_repository* repository = nullptr;
    try_all(file_.c_str(), options, &repository, zpack_repository_open);
    git_odb_backend* odb = nullptr;
    try_all(file_.c_str(), options, &odb, zpack_odb_backend);
    git_refdb_backend* refdb = nullptr;
    try_all(file_.c_str(), options, &refdb, zpack_refdb_backend);
  }
}

TEST_F(LibGit2, NamesTheDamagedObjectAndReadsTheOthers) {
  std::string bytes = ReadFile(file_);
  bytes[bytes.find("BLCK") + 60] ^= 1;
  WriteFile(file_, bytes);
  const auto archive = OpenArchive();
  git_odb* made = nullptr;
  ASSERT_EQ(git_repository_odb(&made, archive.get()), 0);
  const Owned<git_odb> odb(made);
  struct Seen {
    git_odb* odb;
    int damaged = 0;
    int whole = 0;
  } seen{odb.get()};
  const auto read = [](const git_oid* id, void* payload) {
    auto* const self = static_cast<Seen*>(payload);
    git_odb_object* object = nullptr;
    if (git_odb_read(&object, self->odb, id) == 0) {
      ++self->whole;
      git_odb_object_free(object);
    } else {
      ++self->damaged;
      EXPECT_THAT(git_error_last()->message, HasSubstr("offset"));
    }
    return 0;
  };
  EXPECT_EQ(git_odb_foreach(odb.get(), read, &seen), 0);
  EXPECT_GT(seen.damaged, 0);
  EXPECT_GT(seen.whole, 0);
}

// libgit2 must not take a damaged index for a promise that it has an object.
TEST_F(LibGit2, ADamagedIndexKeepsNoWriteFromAnotherBackend) {
  std::string bytes = ReadFile(file_);
  const size_t index = bytes.find("OIDP");
  ASSERT_NE(index, std::string::npos);
  for (size_t i = index + 16; i < index + 4000; ++i) bytes[i] ^= 0x55;
  WriteFile(file_, bytes);
  RepoBuilder other(dir_ / "other");
  const Owned<git_repository> repository = OpenStock(other);
  const Owned<git_odb> odb = OdbWithAlternate(repository.get());
  git_oid written;
  ASSERT_EQ(git_odb_write(&written, odb.get(), "new", 3, GIT_OBJECT_BLOB), 0);
  EXPECT_TRUE(std::filesystem::exists(other.LooseObjectPath(Hex(&written))));

  git_odb* made = nullptr;
  ASSERT_EQ(git_odb_new(&made), 0);
  const Owned<git_odb> alone(made);
  git_odb_backend* backend = nullptr;
  ASSERT_EQ(zpack_odb_backend(&backend, file_.c_str(), nullptr), 0);
  ASSERT_EQ(git_odb_add_backend(alone.get(), backend, 1), 0);
  EXPECT_LT(git_odb_write(&written, alone.get(), "new", 3, GIT_OBJECT_BLOB), 0);
}

TEST_F(LibGit2, RefsKeepNoFileOpen) {
  git_refdb_backend* backend = nullptr;
  ASSERT_EQ(zpack_refdb_backend(&backend, file_.c_str(), nullptr), 0);
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    EXPECT_NE(std::filesystem::read_symlink(entry, gone), file_);
  }
  backend->free(backend);
}

// What follows the version of unknown options may be no memory at all.
TEST_F(LibGit2, ReadsOnlyTheVersionOfUnknownOptions) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(static_cast<char*>(pages) + page, page, PROT_NONE), 0);
  auto* const options = reinterpret_cast<zpack_open_options*>(
      static_cast<char*>(pages) + page - alignof(zpack_open_options));
  options->version = 77;
  git_repository* repository = nullptr;
  EXPECT_EQ(zpack_repository_open(&repository, file_.c_str(), options),
            GIT_EINVALID);
  munmap(pages, 2 * page);
}

TEST_F(LibGit2, OptionsOfTheFirstVersionAreHeeded) {
  zpack_open_options options;
  std::memset(&options, 0x5a, sizeof(options));
  ASSERT_EQ(zpack_open_options_init(&options, 1), ZPACK_OK);
  git_repository* repository = nullptr;
  EXPECT_EQ(zpack_repository_open(&repository, file_.c_str(), &options), 0);
  git_repository_free(repository);
  options.max_chunk_size = 1;
  EXPECT_NE(zpack_repository_open(&repository, file_.c_str(), &options), 0);
}

TEST_F(LibGit2, SeveralThreadsReadOneRepository) {
  const auto archive = OpenArchive();
  git_odb* made = nullptr;
  ASSERT_EQ(git_repository_odb(&made, archive.get()), 0);
  const Owned<git_odb> odb(made);
  std::vector<git_oid> ids;
  const auto append = [](const git_oid* id, void* payload) {
    static_cast<std::vector<git_oid>*>(payload)->push_back(*id);
    return 0;
  };
  ASSERT_EQ(git_odb_foreach(odb.get(), append, &ids), 0);
  ASSERT_THAT(ids, SizeIs(::testing::Gt(400)));
  std::atomic<size_t> read = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (const git_oid& id : ids) {
          git_odb_object* object = nullptr;
          if (git_odb_read(&object, odb.get(), &id) == 0) ++read;
          git_odb_object_free(object);
        }
      });
    }
  }
  EXPECT_EQ(read, 4 * ids.size());
}

}  // namespace
}  // namespace zpack::testing
