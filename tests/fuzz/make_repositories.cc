// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "fuzz/corpus.h"
#include "fuzz/repository_input.h"
#include "support/as_reftable.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

void Add(const Corpus& corpus, const std::string& name,
         const std::string& git_directory) {
  corpus.Add("repository/" + name,
             JoinRepository(ReadRepository(git_directory)));
}

}  // namespace

void AddRepositories(const Corpus& corpus) {
  const TempDir directory;
  const RepoBuilder loose(directory / "loose", RepoBuilder::Kind::kWorkTree);
  const std::string tip = loose.History(2);
  loose.SetRef("refs/tags/t", loose.WriteTag(tip, "commit", "t"));
  loose.Git({"read-tree", "HEAD"});
  loose.Git({"config", "core.logAllRefUpdates", "true"});
  loose.Git({"update-ref", "refs/heads/main", tip + "~1"});
  WriteFile(loose.git_dir() + "/info/grafts", tip + '\n');
  Add(corpus, "loose", loose.git_dir());

  const RepoBuilder packed(directory / "packed");
  packed.History(3);
  packed.Git({"-c", "pack.writeReverseIndex=true", "repack", "-adbq"});
  packed.Git({"multi-pack-index", "write"});
  packed.Git({"commit-graph", "write", "--reachable"});
  packed.Git({"pack-refs", "--all"});
  Add(corpus, "packed", packed.git_dir());

  const RepoBuilder cruft(directory / "cruft");
  const std::string lost = cruft.History(2);
  cruft.SetRef("refs/heads/main", cruft.SimpleCommit("other\n"));
  cruft.Git({"repack", "--cruft", "-dq"});
  WriteFile(cruft.git_dir() + "/shallow", lost + '\n');
  Add(corpus, "shallow", cruft.git_dir());

  const RepoBuilder tables(directory / "tables");
  tables.History(1);
  const AsReftable reftable(tables.git_dir());
  Add(corpus, "reftable", tables.git_dir());
}

}  // namespace zpack::testing
