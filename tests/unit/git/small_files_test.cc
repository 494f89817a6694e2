// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Small files of a repository, as people, editors and power failures leave
// them: what Git reads in one is read, and what Git refuses is refused. The
// exceptions are in kRefusedOnPurpose.
//
// ZPACK_TEST_SMALL_FILES is the number of files to try.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "git/libgit2_options.h"
#include "git/objects/alternates_list.h"
#include "git/repository_layout.h"
#include "git/repository_location.h"
#include "git/repository_source.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

using testing::RepoBuilder;

constexpr const char* kRefused = "refused";

// What Git reads, and why it is refused here. The first text is in the message.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9>
    kRefusedOnPurpose = {{
        {"cannot read ref '",
         "Git leaves out a broken ref with a warning; an archive without the "
         "ref would lose it"},
        {"bad ref name", "the same"},
        {": bad name", "the same"},
        {"points at '", "the same"},
        {"not a valid ref name", "the same"},
        {"unexpected line in 'packed-refs'",
         "Git reads lines only as far as it needs them"},
        {"occurs twice in 'packed-refs'",
         "Git takes one ref for some purposes and the other for others"},
        {"is a directory of", "no other program could store both refs"},
        {"nested too deep",
         "Git ignores these alternates, so that objects seem to be missing"},
    }};

bool IsRefusedOnPurpose(const std::string& message) {
  return std::ranges::any_of(kRefusedOnPurpose, [&](const auto& known) {
    return message.contains(known.first);
  });
}

// A header without the space that new versions of Git want. Older
// versions read it.
bool IsReadByOlderGit(std::string_view text) {
  constexpr std::string_view kHeader = "# pack-refs with:";
  return text.starts_with(kHeader) &&
         !text.substr(kHeader.size()).starts_with(' ');
}

// Changes texts as an editor, another system or a power failure would.
class Mutator {
 public:
  Mutator(uint64_t seed, std::vector<std::string> lines)
      : random_(seed), lines_(std::move(lines)) {}

  size_t Below(size_t end) { return random_() % end; }
  std::string Mutate(std::string text) {
    for (size_t left = 1 + Below(3); left > 0; --left) text = MutateOnce(text);
    return text;
  }

 private:
  std::string MutateOnce(std::string text) {
    constexpr std::string_view kBytes(" \t\r\n\v\f\0#^:/~\\\".-g", 18);
    constexpr std::array<std::string_view, 9> kEndings = {
        "\r", " ", "\t", "\v", "\f\n", "\n\n", "/", ".lock", "\r\n"};
    const size_t at = Below(text.size() + 1);
    switch (Below(12)) {
      case 0:
        return Replace(text, "\n", "\r\n");
      case 1:
        text.resize(text.find_last_not_of('\n') + 1);
        return text + std::string(kEndings[Below(kEndings.size())]);
      case 2:
        text.resize(text.find_last_not_of('\n') + 1);
        return text;
      case 3:
        for (char& c : text) c = ToUpper(c);
        return text;
      case 4:
      case 5:
        return text.insert(at, 1, kBytes[Below(kBytes.size())]);
      case 6:
        return text.erase(std::min(at, text.size()), 1);
      case 7:
        return text.substr(0, at);
      case 8:
        text.append(Below(2) == 0 ? 1100 : 70, ' ');
        return Below(2) == 0 ? text : text + 'x';
      case 9:
        return Replace(text, ": ", Below(2) == 0 ? ":" : ":\t ");
      default:
        return MutateLines(text);
    }
  }

  // Git writes digits of ids in lower case and reads both.
  static char ToUpper(char c) {
    return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  }

  static std::string Replace(std::string_view text, std::string_view from,
                             std::string_view to) {
    std::string out;
    for (size_t at = 0; (at = text.find(from)) != std::string_view::npos;) {
      out += text.substr(0, at);
      out += to;
      text.remove_prefix(at + from.size());
    }
    return out += text;
  }

  std::string MutateLines(const std::string& text) {
    std::vector<std::string> lines = testing::SplitLines(text);
    const size_t at = Below(lines.size() + 1);
    if (at == lines.size() || Below(3) == 0) {
      lines.insert(lines.begin() + static_cast<ptrdiff_t>(at),
                   lines_[Below(lines_.size())]);
    } else if (Below(2) == 0) {
      std::swap(lines[at], lines[Below(lines.size())]);
    } else {
      lines.push_back(lines[at]);
    }
    std::string joined;
    for (const std::string& line : lines) joined += line + '\n';
    return joined;
  }

  std::mt19937_64 random_;
  std::vector<std::string> lines_;
};

class SmallFilesTest : public ::testing::Test {
 protected:
  SmallFilesTest() {
    repo_.History(3);
    ids_ = testing::SplitLines(repo_.Git({"rev-list", "HEAD"}));
    for (const char* const name : {"a", "b", "d/e"}) {
      repo_.SetRef(std::string("refs/heads/") + name, ids_[0]);
    }
    repo_.Git({"pack-refs", "--all"});
    repo_.Git({"worktree", "add", "-q", "--detach", dir_ / "tree", "a"});
    fs::create_directories(dir_ / "work");
    MakeAlternates();
  }

  // A kind of file: its path, its usual contents, and both ways to read it.
  struct Kind {
    std::string path;
    std::vector<std::string> usual;
    std::function<std::string()> git;
    std::function<std::string(std::string&)> ours;
  };

  std::vector<Kind> Kinds() {
    const std::string a = ids_[0] + " refs/heads/a\n";
    const std::string b = ids_[1] + " refs/heads/b\n";
    const auto refs = [this] { return GitRefs(); };
    const auto our_refs = [this](std::string& why) { return OurRefs(why); };
    return {{repo_.path() + "/HEAD",
             {"ref: refs/heads/a\n", ids_[1] + '\n',
              "ref: refs/heads/.invalid\n", "ref: refs/heads/unborn\n"},
             [this] { return GitHead(); },
             [this](std::string& why) { return OurHead(why); }},
            {repo_.path() + "/refs/heads/z",
             {ids_[1] + '\n', "ref: refs/heads/a\n"},
             refs,
             our_refs},
            {repo_.path() + "/packed-refs",
             {"# pack-refs with: peeled fully-peeled sorted \n" + a + b, a + b,
              "# pack-refs with: peeled \n" + a + '^' + ids_[1] + '\n' + b},
             refs,
             our_refs},
            {repo_.path() + "/shallow",
             {ids_[1] + '\n' + ids_[2] + '\n', ids_[2] + '\n'},
             [this] { return GitShallow(); },
             [this](std::string& why) { return OurShallow(why); }},
            {repo_.path() + "/objects/info/alternates",
             {"../../x1/objects\n", dir_ / "with space/objects" + "\n",
              '"' + (dir_ / "quo\\\"te/objects") + "\"\n" +
                  (dir_ / "with space/objects") + '\n'},
             [this] { return GitAlternates(); },
             [this](std::string& why) { return OurAlternates(why); }},
            {dir_ / "work/.git",
             {"gitdir: ../repo\n", "gitdir: " + repo_.path() + '\n'},
             [this] { return GitDirectory(); },
             [this](std::string& why) { return OurDirectory(why); }},
            {repo_.path() + "/worktrees/tree/commondir",
             {"../..\n", repo_.path() + '\n'},
             [this] { return GitCommonDirectory(); },
             [this](std::string& why) { return OurCommonDirectory(why); }}};
  }

  std::vector<std::string> Lines() const {
    return {"",
            "#",
            "# comment",
            "# pack-refs with: sorted ",
            "junk",
            ids_[0],
            ids_[2] + '0',
            '^' + ids_[0],
            ids_[0] + " refs/heads/z",
            ids_[0] + " refs/heads/z.lock",
            ids_[0] + " refs/heads/.z",
            ids_[0] + " ORIG_HEAD",
            ids_[0] + " refs/heads/d",
            dir_ / "x1/objects",
            dir_ / "missing/objects",
            "..",
            "\"" + (dir_ / "x2/objects") + "\" junk"};
  }

 private:
  // A chain in which each borrows from the next.
  void MakeAlternates() const {
    for (int i = 1; i <= 8; ++i) {
      const std::string info = dir_ / fmt::format("x{}/objects/info", i);
      fs::create_directories(info);
      if (i == 8) break;
      testing::WriteFile(info + "/alternates",
                         dir_ / fmt::format("x{}/objects\n", i + 1));
    }
    fs::create_directories(dir_ / "with space/objects");
    fs::create_directories(dir_ / "quo\"te/objects");
  }

  testing::ProcessResult Git(const std::vector<std::string>& arguments,
                             const std::string& git_directory) const {
    std::vector<std::string> all = {"--git-dir=" + git_directory};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return testing::RunGit(all, dir_.path());
  }
  testing::ProcessResult Git(const std::vector<std::string>& arguments) const {
    return Git(arguments, repo_.path());
  }

  std::string GitHead() const {
    if (!Git({"rev-parse", "--git-dir"}).ok()) return kRefused;
    const auto symbolic = Git({"symbolic-ref", "-q", "HEAD"});
    if (symbolic.ok()) {
      const std::string name = symbolic.out.substr(0, symbolic.out.size() - 1);
      // A file cannot hold another name.
      return Git({"check-ref-format", name}).ok() ? name : "refs/heads/master";
    }
    const auto detached = Git({"rev-parse", "-q", "--verify", "HEAD"});
    return detached.ok() ? detached.out.substr(0, testing::IdDigits())
                         : "refs/heads/master";
  }

  Result<RefsSnapshot> ReadRefs() const {
    ZPACK_ASSIGN_OR_RETURN(const auto source,
                           OpenRepository(repo_.path(), ReadingOptions{}));
    return source->ReadRefs();
  }

  std::string OurHead(std::string& why) const {
    const auto refs = ReadRefs();
    if (!refs) return Refused(refs.error(), why);
    return refs->head_symref.empty() ? refs->head_target.ToHex()
                                     : refs->head_symref;
  }

  std::string GitRefs() const {
    const auto listed =
        Git({"for-each-ref", "--format=%(refname) %(objectname)"});
    if (!listed.ok() || listed.err.contains("broken ref")) return kRefused;
    // They are not sorted if 'packed-refs' only says that it is.
    std::vector<std::string> lines = testing::SplitLines(listed.out);
    return Join({lines.begin(), lines.end()});
  }

  // Without those that lead nowhere, which Git does not list.
  std::string OurRefs(std::string& why) const {
    const auto refs = ReadRefs();
    if (!refs) return Refused(refs.error(), why);
    std::string text;
    for (const Ref& ref : refs->refs) {
      const ObjectId id = refs->Resolve(ref.name);
      if (!id.empty()) text += ref.name + ' ' + id.ToHex() + '\n';
    }
    return text;
  }

  std::string GitShallow() const {
    const auto listed = Git({"rev-list", ids_[0]});
    return listed.ok() ? listed.out : kRefused;
  }

  std::string OurShallow(std::string& why) const {
    const auto shallow = ReadShallow(testing::TestFormat(), repo_.path());
    if (!shallow) return Refused(shallow.error(), why);
    std::string text;
    for (const std::string& id : ids_) {
      text += id + '\n';
      if (std::ranges::binary_search(*shallow, *ObjectId::FromHex(id))) break;
    }
    return text;
  }

  std::string GitAlternates() const {
    const auto counted = Git({"count-objects", "-v"});
    if (!counted.ok()) return kRefused;
    std::set<std::string> found;
    for (std::string line : testing::SplitLines(counted.out)) {
      constexpr std::string_view kKey = "alternate: ";
      if (!line.starts_with(kKey)) continue;
      for (const std::string& path :
           ParseAlternates(line.substr(kKey.size()))) {
        found.insert(fs::canonical(path).string());
      }
    }
    return Join(found);
  }

  std::string OurAlternates(std::string& why) const {
    const auto listed = ListObjectDirectories(repo_.path());
    if (!listed) return Refused(listed.error(), why);
    return Join({listed->found.begin() + 1, listed->found.end()});
  }

  std::string GitDirectory() const {
    const auto found =
        testing::RunGit({"rev-parse", "--absolute-git-dir"}, dir_ / "work");
    return found.ok() ? found.out : kRefused;
  }

  std::string OurDirectory(std::string& why) const {
    const auto found = FindRepository(dir_ / "work", Discovery::kNone);
    if (!found) return Refused(found.error(), why);
    return found->git_directory + '\n';
  }

  std::string GitCommonDirectory() const {
    const auto found = Git({"rev-parse", "--git-common-dir"},
                           repo_.path() + "/worktrees/tree");
    if (!found.ok()) return kRefused;
    const fs::path path = found.out.substr(0, found.out.size() - 1);
    return fs::canonical(fs::path(dir_.path()) / path).string();
  }

  std::string OurCommonDirectory(std::string& why) const {
    const auto found =
        FindRepository(repo_.path() + "/worktrees/tree", Discovery::kNone);
    return found ? found->common_directory : Refused(found.error(), why);
  }

  static std::string Refused(const Error& error, std::string& why) {
    why = error.message;
    return kRefused;
  }

  static std::string Join(const std::set<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
  }

  Libgit2Options options_;

 protected:
  testing::TempDir dir_;
  RepoBuilder repo_{dir_ / "repo"};
  std::vector<std::string> ids_;  // each the child of the next
};

TEST_F(SmallFilesTest, AreReadAsGitReadsThem) {
  const char* const wanted = std::getenv("ZPACK_TEST_SMALL_FILES");
  const uint64_t count = wanted != nullptr ? std::stoull(wanted) : 280;
  const std::vector<Kind> kinds = Kinds();
  std::map<std::string, std::string> before;
  for (const Kind& kind : kinds) {
    if (testing::Exists(kind.path)) {
      before[kind.path] = testing::ReadFile(kind.path);
    }
  }
  for (uint64_t seed = 0; seed < count; ++seed) {
    const Kind& kind = kinds[seed % kinds.size()];
    Mutator mutator(seed, Lines());
    const std::string text =
        mutator.Mutate(kind.usual[mutator.Below(kind.usual.size())]);
    testing::WriteFile(kind.path, text);
    std::string why;
    const std::string expected = kind.git();
    const std::string actual = kind.ours(why);
    const bool differs_on_purpose =
        (actual == kRefused && IsRefusedOnPurpose(why)) ||
        (expected == kRefused && IsReadByOlderGit(text));
    if (!differs_on_purpose) {
      EXPECT_EQ(actual, expected)
          << seed << ": " << kind.path << ": " << ::testing::PrintToString(text)
          << ": " << why;
    }
    fs::remove(kind.path);
    if (before.contains(kind.path)) {
      testing::WriteFile(kind.path, before[kind.path]);
    }
  }
}

}  // namespace
}  // namespace zpack
