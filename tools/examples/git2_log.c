// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
/*
 * Lists the commits that HEAD of a .zpack file reaches, newest first, through
 * libgit2.
 *
 *   git2_log FILE
 */

#include <stdio.h>
#include <zpack/git2.h>

static int print_commit(git_repository* repository, const git_oid* id) {
  char hex[41];
  git_commit* commit;
  const int code = git_commit_lookup(&commit, repository, id);
  if (code != 0) return code;
  printf("%s %s\n", git_oid_tostr(hex, sizeof(hex), id),
         git_commit_summary(commit));
  git_commit_free(commit);
  return 0;
}

static int print_log(git_repository* repository) {
  git_revwalk* walk;
  git_oid id;
  int code = git_revwalk_new(&walk, repository);
  if (code != 0) return code;
  code = git_revwalk_push_head(walk);
  while (code == 0 && (code = git_revwalk_next(&id, walk)) == 0) {
    code = print_commit(repository, &id);
  }
  git_revwalk_free(walk);
  return code == GIT_ITEROVER ? 0 : code;
}

int main(int argc, char** argv) {
  git_repository* repository = NULL;
  int code;
  if (argc != 2) {
    fprintf(stderr, "usage: git2_log FILE\n");
    return 129;
  }
  git_libgit2_init();
  code = zpack_repository_open(&repository, argv[1], NULL);
  if (code == 0) code = print_log(repository);
  if (code != 0) fprintf(stderr, "fatal: %s\n", git_error_last()->message);
  git_repository_free(repository);
  git_libgit2_shutdown();
  return code == 0 ? 0 : 128;
}
