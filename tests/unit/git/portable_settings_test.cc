// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/portable_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/matchers.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using ::testing::Not;

class PortableSettingsTest : public ::testing::Test {
 protected:
  PortableSettings Read(const std::string& text) const {
    testing::WriteFile(dir_ / "config", text);
    const std::string path = dir_ / "config";
    auto settings = ReadPortableSettings({&path, 1});
    EXPECT_THAT(settings, IsOk());
    return settings ? *std::move(settings) : PortableSettings{};
  }

  testing::TempDir dir_;
};

TEST_F(PortableSettingsTest, SkipsWhatDescribesThisCopy) {
  EXPECT_THAT(Read("[core]\n\trepositoryformatversion = 1\n\tfilemode = true\n"
                   "\tbare = false\n\tworktree = /elsewhere\n"
                   "\tsparseCheckout = true\n\tsparseCheckoutCone = true\n"
                   "[index]\n\tsparse = true\n"
                   "[extensions]\n\tobjectFormat = sha256\n")
                  .text,
              IsEmpty());
}

TEST_F(PortableSettingsTest, KeepsOrderAndSubsections) {
  EXPECT_EQ(Read("[Remote \"Origin\"]\n\turl = ../x\n\tfetch = +a:a\n"
                 "\tfetch = +b:b\n[pack]\n\tThreads = 2\n"
                 "[remote \"a\\\"b\\\\\"]\n\turl = y\n")
                .text,
            "[remote \"Origin\"]\n\turl = \"../x\"\n\tfetch = \"+a:a\"\n"
            "\tfetch = \"+b:b\"\n[pack]\n\tthreads = \"2\"\n"
            "[remote \"a\\\"b\\\\\"]\n\turl = \"y\"\n");
}

// Git reads 'core..fsmonitor', which means nothing to it.
TEST_F(PortableSettingsTest, AnEmptySubsectionStaysOne) {
  const std::string text =
      "[core \"\"]\n\tfsmonitor = \"x\"\n\tbare = \"false\"\n"
      "[core]\n\tfsmonitor = \"y\"\n[remote \"\"]\n\turl = \"z\"\n";
  EXPECT_EQ(Read(text).text, text);
}

// Of some settings the first value counts, of others the last.
TEST_F(PortableSettingsTest, FilesFollowOneAnother) {
  const std::vector<std::string> paths = {dir_ / "a", dir_ / "b"};
  testing::WriteFile(paths[0], "[remote \"x\"]\n\turl = 1\n\turl = 2\n");
  testing::WriteFile(paths[1],
                     "[remote \"x\"]\n\turl = 1\n[user]\n\tname = B\n");
  const auto settings = ReadPortableSettings(paths);
  ASSERT_THAT(settings, IsOk());
  EXPECT_EQ(settings->text,
            "[remote \"x\"]\n\turl = \"1\"\n\turl = \"2\"\n"
            "\turl = \"1\"\n[user]\n\tname = \"B\"\n");
}

TEST_F(PortableSettingsTest, ValuesReadTheSameAgain) {
  const PortableSettings once = Read(
      "[a]\n\tyes\n\tempty =\n\tspaces = \"  x ; # \"\n"
      "\tescapes = \"\\\"\\\\\\n\\t\\b\"\n\tlong = one \\\n two\n");
  EXPECT_THAT(once.text, HasSubstr("\tyes\n\tempty = \"\"\n"));
  EXPECT_THAT(once.text, HasSubstr("spaces = \"  x ; # \""));
  EXPECT_THAT(once.text, HasSubstr("escapes = \"\\\"\\\\\\n\\t\\b\""));
  EXPECT_EQ(Read(once.text).text, once.text);
}

TEST_F(PortableSettingsTest, LeavesOutSecrets) {
  const PortableSettings settings = Read(
      "; password hunter0\n"
      "[credential]\n\thelper = store --file=hunter1\n"
      "[credential \"https://h\"]\n\tusername = hunter2\n"
      "[http \"https://h/\"]\n\textraHeader = Authorization: hunter3\n"
      "[sendemail]\n\tsmtpPass = hunter4 # hunter5\n\tsmtpServer = h\n"
      "[gitlab]\n\tprivateToken = hunter6\n"
      "[url \"https://hunter7@h/\"]\n\tinsteadOf = x:\n"
      "[core]\n\taskPass = program\n");
  EXPECT_THAT(settings.text, Not(HasSubstr("hunter")));
  EXPECT_THAT(settings.text, HasSubstr("smtpserver"));
  EXPECT_THAT(settings.text, HasSubstr("askpass"));
  EXPECT_THAT(
      settings.left_out,
      ElementsAre(
          "setting 'credential.helper', which may hold a secret",
          "setting 'credential.https://h.username', which may hold a secret",
          "setting 'http.https://h/.extraheader', which may hold a secret",
          "setting 'sendemail.smtppass', which may hold a secret",
          "setting 'gitlab.privatetoken', which may hold a secret",
          "setting 'url.https://h/.insteadof', which may hold a secret"));
}

TEST_F(PortableSettingsTest, LeavesOutUserAndPasswordOfUrls) {
  const PortableSettings settings = Read(
      "[remote \"a\"]\n\turl = https://hunter1:hunter2@h/x@y\n"
      "[remote \"b\"]\n\turl = ssh://git:hunter3@h/x\n"
      "[remote \"c\"]\n\turl = git@h:x\n\tpushurl = ssh://git@h/x\n"
      "[http]\n\tproxy = hunter4:hunter5@h:80\n"
      "[alias]\n\tget = !curl http://hunter6@h http://h2/ https://t@h\n");
  EXPECT_EQ(settings.text,
            "[remote \"a\"]\n\turl = \"https://h/x@y\"\n"
            "[remote \"b\"]\n\turl = \"ssh://git@h/x\"\n"
            "[remote \"c\"]\n\turl = \"git@h:x\"\n"
            "\tpushurl = \"ssh://git@h/x\"\n"
            "[http]\n\tproxy = \"h:80\"\n"
            "[alias]\n\tget = \"!curl http://h http://h2/ https://h\"\n");
  EXPECT_THAT(settings.left_out,
              ElementsAre("user and password in setting 'remote.a.url'",
                          "user and password in setting 'remote.b.url'",
                          "user and password in setting 'http.proxy'",
                          "user and password in setting 'alias.get'"));
}

TEST_F(PortableSettingsTest, LeavesOutValuesThatLookLikeSecrets) {
  const PortableSettings settings = Read(
      "[alias]\n\tget = !curl -H 'Authorization: Basic hunter1' https://h\n"
      "\tjar = !curl -H \"Cookie: hunter2\" h\n"
      "\tlab = !curl -H PRIVATE-TOKEN:hunter3 h\n"
      "[x]\n\tlogin = user=me&Password=hunter4\n"
      "\thelper = !echo hunter5\n\tkeyPassphrase = hunter6\n"
      "[core]\n\tsshCommand = sshpass -p hunter7 ssh\n"
      "[remote \"a\"]\n\turl = https://h/x?private_token=hunter8\n"
      "[url \"https://h/?token=hunter9\"]\n\tinsteadOf = x:\n"
      "[user]\n\tsigningKey = ABCD\n");
  EXPECT_EQ(settings.text, "[user]\n\tsigningkey = \"ABCD\"\n");
  EXPECT_THAT(
      settings.left_out,
      ElementsAre("setting 'alias.get', which may hold a secret",
                  "setting 'alias.jar', which may hold a secret",
                  "setting 'alias.lab', which may hold a secret",
                  "setting 'x.login', which may hold a secret",
                  "setting 'x.helper', which may hold a secret",
                  "setting 'x.keypassphrase', which may hold a secret",
                  "setting 'core.sshcommand', which may hold a secret",
                  "setting 'remote.a.url', which may hold a secret",
                  "setting 'url.*.insteadof', which may hold a secret"));
}

TEST_F(PortableSettingsTest, ASectionAfterAContinuedValueIsSeen) {
  EXPECT_EQ(Read("[alias]\n\tx = y\\\n\n[credential]\n\tpassword = hunter\n"
                 "[alias]\n\tz = y\\\n# c\n[credential]\n\tx = hunter\n")
                .text,
            "[alias]\n\tx = \"y\"\n\tz = \"y\"\n");
}

TEST_F(PortableSettingsTest, DoesNotFollowIncludes) {
  testing::WriteFile(dir_ / "other", "[user]\n\tname = elsewhere\n");
  EXPECT_EQ(Read("[include]\n\tpath = other\n[user]\n\temail = here\n").text,
            "[include]\n\tpath = \"other\"\n[user]\n\temail = \"here\"\n");
}

TEST_F(PortableSettingsTest, RejectsMalformedFiles) {
  testing::WriteFile(dir_ / "config", "[core\n");
  const std::string path = dir_ / "config";
  EXPECT_THAT(ReadPortableSettings({&path, 1}), HasCode(ErrorCode::kGit));
}

}  // namespace
}  // namespace zpack
