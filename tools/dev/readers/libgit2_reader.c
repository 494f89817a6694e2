// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads every object of a repository with libgit2 and prints its id, type and
// size, one object a line. The id printed is hashed from what was read. What
// cannot be read goes to standard error; the exit code is then 1.

#include <git2.h>
#include <stdio.h>

struct totals {
  git_odb* odb;
  unsigned long failures;
};

static void report(struct totals* totals, const char* subject) {
  const git_error* error = git_error_last();
  fprintf(stderr, "%s: %s\n", subject,
          error != NULL ? error->message : "unknown error");
  ++totals->failures;
}

static int print_object(const git_oid* id, void* payload) {
  struct totals* totals = payload;
  char name[GIT_OID_HEXSZ + 1];
  git_oid_tostr(name, sizeof name, id);
  git_odb_object* object = NULL;
  if (git_odb_read(&object, totals->odb, id) != 0) {
    report(totals, name);
    return 0;
  }
  const git_object_t type = git_odb_object_type(object);
  const size_t size = git_odb_object_size(object);
  git_oid hashed;
  if (git_odb_hash(&hashed, git_odb_object_data(object), size, type) != 0) {
    report(totals, name);
  } else {
    if (!git_oid_equal(&hashed, id)) {
      fprintf(stderr, "%s: content hashes to another id\n", name);
      ++totals->failures;
    }
    git_oid_tostr(name, sizeof name, &hashed);
    printf("%s %s %zu\n", name, git_object_type2string(type), size);
  }
  git_odb_object_free(object);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s REPOSITORY\n", argv[0]);
    return 129;
  }
  struct totals totals = {NULL, 0};
  git_repository* repository = NULL;
  git_libgit2_init();
  if (git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 1) != 0 ||
      git_repository_open(&repository, argv[1]) != 0 ||
      git_repository_odb(&totals.odb, repository) != 0 ||
      git_odb_foreach(totals.odb, print_object, &totals) != 0) {
    report(&totals, argv[1]);
  }
  git_odb_free(totals.odb);
  git_repository_free(repository);
  git_libgit2_shutdown();
  if (fflush(stdout) != 0) {
    perror("standard output");
    return 1;
  }
  return totals.failures == 0 ? 0 : 1;
}
