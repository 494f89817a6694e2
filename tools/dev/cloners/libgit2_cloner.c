// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Mirrors a repository with the libgit2 of the system. DEPTH 0 means everything.
// libgit2 chooses the version of the protocol itself.

#include <git2.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const remote_name = "cloner";

static int add_remote(git_remote** remote, git_repository* repository,
                      const char* name, const char* url, void* payload) {
  (void)name;
  (void)payload;
  return git_remote_create_with_fetchspec(remote, repository, remote_name, url,
                                          "+refs/*:refs/*");
}

// libgit2 looks for the branch of HEAD in refs/remotes, and adds a ref there.
static int set_head(git_repository* repository) {
  git_remote* remote = NULL;
  git_buf branch = GIT_BUF_INIT;
  int result = git_remote_lookup(&remote, repository, remote_name);
  if (result == 0) {
    result = git_remote_connect(remote, GIT_DIRECTION_FETCH, NULL, NULL, NULL);
  }
  if (result == 0) result = git_remote_default_branch(&branch, remote);
  if (result == 0) result = git_repository_set_head(repository, branch.ptr);
  if (result == 0) {
    result = git_reference_remove(repository, "refs/remotes/cloner/HEAD");
  }
  git_buf_dispose(&branch);
  git_remote_free(remote);
  return result;
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s URL DIRECTORY VERSION DEPTH\n", argv[0]);
    return 129;
  }
  git_clone_options options;
  git_clone_options_init(&options, GIT_CLONE_OPTIONS_VERSION);
  options.bare = 1;
  options.remote_cb = add_remote;
  const int depth = atoi(argv[4]);
#if LIBGIT2_VER_MAJOR > 1 || LIBGIT2_VER_MINOR >= 7
  options.fetch_opts.depth = depth;
#else
  if (depth != 0) {
    fputs("libgit2 " LIBGIT2_VERSION " has no shallow clones\n", stderr);
    return 1;
  }
#endif
  git_libgit2_init();
  git_repository* repository = NULL;
  int result = git_clone(&repository, argv[1], argv[2], &options);
  if (result == 0) result = set_head(repository);
  if (result != 0) {
    const git_error* error = git_error_last();
    fprintf(stderr, "%s\n", error != NULL ? error->message : "unknown error");
  }
  git_repository_free(repository);
  git_libgit2_shutdown();
  return result == 0 ? 0 : 1;
}
