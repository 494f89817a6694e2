// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Thousands of odd trees, commits and tags: in memory, converted, verified, and
// read again one by one; and a few hundred through a repository and back.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include "convert/convert_source.h"
#include "reader/object_reader.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "verify/verify_archive.h"

namespace zpack::testing {
namespace {

struct OddObject {
  ObjectType type;
  std::string content;
};

// Makes objects that name each other, and each of which may be odd in any way
// that its bytes allow.
class OddObjectMaker {
 public:
  explicit OddObjectMaker(uint64_t seed) : random_(seed) {
    ids_[0] = Hash(ObjectType::kBlob, "");
  }

  OddObject Make() {
    OddObject object;
    switch (Below(random_, 8)) {
      case 0:
        object = {ObjectType::kBlob, Text(300)};
        break;
      case 1:
        object = {ObjectType::kTag, Tag()};
        break;
      case 2:
      case 3:
        object = {ObjectType::kCommit, Commit()};
        break;
      default:
        object = {ObjectType::kTree, Tree()};
    }
    if (Below(random_, 12) == 0) Damage(object.content);
    ids_[Below(random_, ids_.size())] = Hash(object.type, object.content);
    return object;
  }

 private:
  struct Entry {
    std::string mode;
    std::string name;
    std::string id;
  };

  static std::string Hash(ObjectType type, std::string_view content) {
    return HashObject(ObjectTypeName(type), content);
  }

  template <size_t kCount>
  const char* OneOf(const std::array<const char*, kCount>& choices) {
    return choices[Below(random_, kCount)];
  }
  bool OneIn(size_t n) { return Below(random_, n) == 0; }

  std::string Id() {
    if (OneIn(20)) return RawToHex(RandomBytes(random_(), IdDigits() / 2));
    if (OneIn(40)) return kEmptyTree;
    std::string id;
    while (id.empty()) id = ids_[Below(random_, ids_.size())];
    return id;
  }

  std::string Text(size_t max_size) {
    const size_t size = Below(random_, max_size);
    if (OneIn(4)) return RandomBytes(random_(), size);
    return std::string(AsText(RandomText(random_, size)));
  }

  // Most are the last one after an edit, so that blocks have something to do.
  std::string Tree() {
    if (OneIn(12)) entries_.clear();
    const size_t edits = OneIn(10) ? 30 : Below(random_, 4);
    for (size_t i = 0; i < edits; ++i) {
      const size_t at = Below(random_, entries_.size() + 1);
      const auto place = entries_.begin() + static_cast<ptrdiff_t>(at);
      if (place == entries_.end() || OneIn(4)) {
        entries_.insert(place, {Mode(), Name(), Id()});
      } else if (OneIn(4)) {
        entries_.erase(place);
      } else {
        place->id = Id();
        if (OneIn(6)) place->mode = Mode();
      }
    }
    if (!OneIn(4)) std::ranges::stable_sort(entries_, {}, &Entry::name);
    std::string content;
    for (const Entry& entry : entries_) {
      content += TreeEntryBytes(entry.mode, entry.name, entry.id);
    }
    return content;
  }
  std::string Mode() {
    if (OneIn(100)) {
      return OneOf<8>({"100664", "0100644", "040000", "40755", "", "1",
                       "777777777777", "10x644"});
    }
    return OneOf<5>({"100644", "100755", "40000", "120000", "160000"});
  }
  std::string Name() {
    if (OneIn(100)) return "";
    if (OneIn(3)) return fmt::format("file-{}", Below(random_, 200));
    return OneOf<10>({"a", "a.b", "a-b", "a/b", "a0", "same", "same", "..",
                      "\xff\xfe", "new\nline"});
  }

  std::string Who() {
    std::string who = OneOf<6>({"A U Thor <a@example.com>", "<>", "a <b",
                                " <a@example.com>", "\xe4 <\xff@x> <y>", ""});
    who += ' ';
    who += OneOf<8>({"1700000000", "1700000001", "0", "-1", "007",
                     "99999999999999999999", "18446744073709551616", ""});
    who += OneOf<8>({" +0000", " -0000", " +9999", " -1234", " +05:30", " UTC",
                     "", " +00000 "});
    return who;
  }
  std::string Headers() {
    std::string headers;
    if (OneIn(6)) headers += "encoding ISO-8859-1\n";
    if (OneIn(6)) {
      headers += "gpgsig -----BEGIN PGP SIGNATURE-----\n \n =abcd\n -----END\n";
    }
    if (OneIn(10)) headers += "mergetag object " + Id() + "\n type commit\n";
    if (OneIn(10)) headers += " continued\n\tand so on\n";
    if (OneIn(20)) headers += "parent " + Id() + '\n';
    return headers;
  }
  std::string Message() {
    const std::string message = Text(200);
    switch (Below(random_, 6)) {
      case 0:
        return "";
      case 1:
        return message;
      case 2:
        return "\n\n" + message + '\0' + "\r\n";
      default:
        return '\n' + message + '\n';
    }
  }
  std::string Commit() {
    std::string content;
    if (!OneIn(20)) content += "tree " + Id() + '\n';
    if (OneIn(20)) content += "tree " + Id() + '\n';
    const size_t parents = OneIn(10) ? Below(random_, 12) : Below(random_, 3);
    for (size_t i = 0; i < parents; ++i) content += "parent " + Id() + '\n';
    if (!OneIn(20)) content += "author " + Who() + '\n';
    if (!OneIn(20)) content += "committer " + Who() + '\n';
    content += Headers() + Message();
    if (OneIn(20)) {
      for (char& c : content)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return content;
  }
  std::string Tag() {
    std::string content;
    if (!OneIn(20)) content += "object " + Id() + '\n';
    if (!OneIn(20)) {
      content += OneOf<6>({"type commit\n", "type commit\n", "type tree\n",
                           "type blob\n", "type tag\n", "type none\n"});
    }
    if (!OneIn(20)) content += "tag " + Name() + '\n';
    if (!OneIn(5)) content += "tagger " + Who() + '\n';
    return content + Headers() + Message();
  }

  void Damage(std::string& content) {
    switch (Below(random_, 3)) {
      case 0:
        content.resize(Below(random_, content.size() + 1));
        break;
      case 1:
        content += Text(50);
        break;
      default:
        if (!content.empty()) {
          content[Below(random_, content.size())] =
              static_cast<char>(random_());
        }
    }
  }

  Random random_;
  std::vector<Entry> entries_;
  std::array<std::string, 50> ids_;  // of objects made so far; some are empty
};

// Reads every object of a file and compares it with what went in.
void ExpectHolds(const std::string& path, const MemorySource& source) {
  auto file = PosixFileSystem().OpenForRead(path);
  ASSERT_THAT(file, IsOk());
  const auto archive = ArchiveFile::Open(*std::move(file), ReadOptions{});
  ASSERT_THAT(archive, IsOk());
  for (const VerifyLevel level :
       {VerifyLevel::kChecksums, VerifyLevel::kObjects}) {
    VerifyReport report;
    ASSERT_THAT(
        VerifyArchive(**archive, {.level = level}, RunOptions{}, report),
        IsOk());
    ASSERT_TRUE(report.damages.empty()) << report.damages[0].message;
  }
  ASSERT_EQ((*archive)->ids().size(), source.objects().size());
  ObjectReader reader(**archive);
  Bytes content;
  for (const auto& [id, object] : source.objects()) {
    const auto rank = (*archive)->ids().Find(id);
    ASSERT_TRUE(rank);
    const auto type = reader.Read((*archive)->number(*rank), id, content);
    ASSERT_THAT(type, IsOk());
    ASSERT_EQ(*type, object.type);
    ASSERT_EQ(AsText(content), object.content) << id.ToHex();
  }
}

TEST(RandomObjects, ComeBackFromAFile) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    OddObjectMaker maker(seed);
    MemorySource source;
    source.refs.head_symref = "refs/heads/main";
    for (int i = 0; i < 2500; ++i) {
      const OddObject object = maker.Make();
      // No ref: what refs reach must be complete.
      source.Add(object.type, object.content);
    }
    for (const uint64_t block_size : {4096, 2000000}) {
      SCOPED_TRACE(block_size);
      const TempDir directory;
      const std::string path = directory / "odd.zpack";
      ConvertOptions options;
      options.level = 1;
      options.block_size = block_size;
      const auto stats = ConvertSource([&](SourceUse) { return source.Open(); },
                                       PosixFileSystem(), path, options);
      ASSERT_TRUE(stats.has_value()) << stats.error().message;
      ExpectHolds(path, source);
    }
  }
}

TEST(RandomObjects, ComeBackToARepository) {
  const TempDir directory;
  const RepoBuilder repo(directory / "repo");
  repo.SetRef("refs/heads/main", repo.SimpleCommit("proper\n"));
  OddObjectMaker maker(7);
  std::vector<std::string> ids;
  for (int i = 0; i < 1500; ++i) {
    const OddObject object = maker.Make();
    ids.push_back(
        repo.WriteObject(ObjectTypeName(object.type), object.content));
  }
  const std::string restored =
      ExpectRoundTrip(repo.path(), directory, {"--level", "1"}, Fsck::kSkip);
  // What both hold, bytes and all.
  std::string input;
  for (const std::string& id : ids) input += id + '\n';
  const auto contents = [&](const std::string& path) {
    return RunGit({"cat-file", "--batch"}, path, input).out;
  };
  EXPECT_TRUE(contents(repo.path()) == contents(restored));
}

}  // namespace
}  // namespace zpack::testing
