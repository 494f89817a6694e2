// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/damaged_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/posix_file_system.h"
#include "pack/pack_index.h"
#include "support/pack_entries.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::EntriesOf;
using testing::ListedEntry;
using testing::TestFormat;

class DamagedCopiesTest : public ::testing::Test {
 protected:
  DamagedCopiesTest() : repo_(dir_ / "repo") {
    repo_.History(20);
    repo_.PackAll();
    const std::string packs = repo_.git_dir() + "/objects/pack/";
    for (const std::string& name : testing::ListDirectory(packs)) {
      if (name.ends_with(".pack"))
        path_ = packs + name.substr(0, name.size() - 5);
    }
    std::filesystem::permissions(path_ + ".pack",
                                 std::filesystem::perms::owner_all);
    entries_ = EntriesOf(repo_, path_);
    bytes_ = testing::ReadFile(path_ + ".pack");
  }

  ObjectIdTable All() const {
    return ReadPackIndexIds(TestFormat(), PosixFileSystem(), path_ + ".idx")
        .value();
  }
  static ObjectIdTable One(const std::string& id) {
    Bytes ids;
    Append(ids, ObjectId::FromHex(id)->bytes());
    return ObjectIdTable::FromSorted(TestFormat(), std::move(ids)).value();
  }

  std::vector<std::string> Damaged(const ObjectIdTable& ids) const {
    const auto found = FindDamagedCopies(PosixFileSystem(), path_, ids, {});
    std::vector<std::string> names;
    names.reserve(found.value().size());
    for (uint32_t i = 0; i < found.value().size(); ++i) {
      names.push_back((*found)[i].ToHex());
    }
    return names;
  }

  // Those whose delta chains lead to `id`, and itself.
  std::vector<std::string> Above(const std::string& id) const {
    std::vector<std::string> above = {id};
    for (size_t i = 0; i < above.size(); ++i) {
      for (const ListedEntry& entry : entries_) {
        if (entry.base == above[i]) above.push_back(entry.id);
      }
    }
    return above;
  }

  testing::TempDir dir_;
  testing::RepoBuilder repo_;
  std::string path_;
  std::vector<ListedEntry> entries_;
  std::string bytes_;
};

TEST_F(DamagedCopiesTest, SoundPackHasNone) {
  EXPECT_THAT(Damaged(All()), ::testing::IsEmpty());
  EXPECT_THAT(Damaged(One(entries_.at(3).id)), ::testing::IsEmpty());
}

TEST_F(DamagedCopiesTest, OneEntryDamagesWhatIsMadeOfIt) {
  ASSERT_GT(entries_.size(), 40U);
  for (size_t i = 0; i < entries_.size(); i += 7) {
    const ListedEntry& entry = entries_[i];
    // The header, with which PackReader refuses the pack, or the content.
    for (const size_t at : {entry.offset, entry.offset + entry.stored / 2}) {
      SCOPED_TRACE(at);
      std::string bytes = bytes_;
      bytes.at(at) ^= 0x20;
      testing::WriteFile(path_ + ".pack", bytes);
      const auto all = Damaged(All());
      EXPECT_THAT(all, ::testing::UnorderedElementsAreArray(Above(entry.id)));
      EXPECT_THAT(Damaged(One(entry.id)), ::testing::ElementsAre(entry.id));
    }
  }
}

TEST_F(DamagedCopiesTest, ObjectThatThePackLacks) {
  const std::string id(testing::IdDigits(), 'a');
  EXPECT_THAT(Damaged(One(id)), ::testing::ElementsAre(id));
}

TEST_F(DamagedCopiesTest, PackThatIsGoneHasNoSoundObject) {
  std::filesystem::remove(path_ + ".pack");
  EXPECT_THAT(Damaged(One(entries_.at(0).id)),
              ::testing::ElementsAre(entries_.at(0).id));
}

}  // namespace
}  // namespace zpack
