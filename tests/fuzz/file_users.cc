// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/file_users.h"

#include <git2.h>

#include <memory>

#include "reader/archive_file.h"
#include "support/conversation.h"
#include "support/memory_file.h"
#include "zpack/git2.h"

namespace zpack::testing {
namespace {

// Ends libgit2 with the process, so that its memory is no leak.
struct Libgit2 {
  Libgit2() { git_libgit2_init(); }
  Libgit2(const Libgit2&) = delete;
  Libgit2& operator=(const Libgit2&) = delete;
  ~Libgit2() { git_libgit2_shutdown(); }
};

struct Objects {
  git_repository& repository;
  git_odb& odb;
};

void ReadObject(const Objects& objects, const git_oid& id) {
  size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  git_odb_read_header(&size, &type, &objects.odb, &id);
  git_oid found;
  git_odb_exists_prefix(&found, &objects.odb, &id, 5);
  git_object* object = nullptr;
  if (git_object_lookup(&object, &objects.repository, &id, GIT_OBJECT_ANY) !=
      0) {
    return;
  }
  // By way of commits and tags.
  git_object* tree = nullptr;
  if (git_object_peel(&tree, object, GIT_OBJECT_TREE) == 0) {
    git_object_free(tree);
  }
  git_object_free(object);
}

void ReadObjects(git_repository& repository) {
  git_odb* odb = nullptr;
  if (git_repository_odb(&odb, &repository) != 0) return;
  Objects objects{repository, *odb};
  git_odb_foreach(
      odb,
      [](const git_oid* id, void* payload) {
        ReadObject(*static_cast<Objects*>(payload), *id);
        return 0;
      },
      &objects);
  git_odb_free(odb);
}

void ReadRefs(git_repository& repository) {
  git_reference_iterator* refs = nullptr;
  if (git_reference_iterator_new(&refs, &repository) != 0) return;
  git_reference* ref = nullptr;
  while (git_reference_next(&ref, refs) == 0) {
    git_object* peeled = nullptr;
    if (git_reference_peel(&peeled, ref, GIT_OBJECT_ANY) == 0) {
      git_object_free(peeled);
    }
    git_reference_free(ref);
  }
  git_reference_iterator_free(refs);
}

}  // namespace

void ServeToClients(const Bytes& file, const std::vector<std::string>& ids) {
  const auto archive =
      ArchiveFile::OpenWithoutIndex(std::make_unique<MemoryFile>(file), {});
  if (!archive) return;
  UploadPackOptions options;
  options.run.threads = 2;
  options.exchange = Exchange::kAdvertisement;
  (void)Converse(**archive, options, "");
  options.exchange = Exchange::kRequest;
  options.protocol = ServeProtocol::kV2;
  const auto fetch = [&](std::vector<std::string> arguments) {
    for (const std::string& id : ids) arguments.push_back("want " + id);
    arguments.emplace_back("done");
    (void)Converse(**archive, options, RequestV2("fetch", arguments));
  };
  (void)Converse(**archive, options,
                 RequestV2("ls-refs", {"peel", "symrefs", "unborn"}));
  fetch({"ofs-delta", "include-tag"});
  fetch({"deepen 2"});
  fetch({"filter blob:none"});
  fetch({"filter tree:1"});
  if (!ids.empty()) fetch({"thin-pack", "have " + ids.front()});
}

void ReadWithLibgit2(const std::string& path) {
  static const Libgit2 library;
  git_repository* repository = nullptr;
  if (zpack_repository_open(&repository, path.c_str(), nullptr) != 0) return;
  ReadObjects(*repository);
  ReadRefs(*repository);
  git_repository_free(repository);
}

}  // namespace zpack::testing
