// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
/*
 * C interface of git-zpack: reads .zpack files, and makes, verifies and
 * restores them.
 *
 * Results. A function that can fail returns ZPACK_OK or one of the negative
 * codes of zpack_code; zpack_error_last() then describes the error. Results go
 * to pointers at the beginning of the arguments, and only if the function
 * succeeds.
 *
 * Callbacks run in the thread of the caller, unless their comment says
 * otherwise. A callback that returns a value other than 0 ends the call, which
 * returns that value; use positive values.
 *
 * Ownership. What a function makes belongs to the caller, who frees it with the
 * function that the comment names. Pointers that a callback gets are valid
 * during the callback. All freeing functions accept NULL.
 *
 * Threads. Any number of threads may use one zpack_archive. All other values
 * are for one thread at a time.
 *
 * NULL. Where an argument is needed, NULL gives ZPACK_EINVALID, or 0, NULL or
 * nothing if the function returns no code. Payloads may be NULL.
 *
 * Numbers that a caller passes in for an enumeration are ints, so that a wrong
 * one is an error and nothing worse.
 *
 * Options begin with the version that the caller was built for, which says how
 * far they reach. Older versions stay valid: what they lack has its default.
 *
 * Files that depend on others. Where options have `backing`, these are files
 * and directories in which the files that a file depends on are looked for, if
 * they are not beside it; then in those of the environment variable
 * ZPACK_BACKING, separated by colons. If one of them is not found, the call
 * returns ZPACK_ENOTFOUND.
 *
 * Text is UTF-8 or whatever bytes Git stored, and ends in NUL. Sizes are in
 * bytes.
 */

#ifndef ZPACK_H
#define ZPACK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ZPACK_API __attribute__((visibility("default")))
#else
#define ZPACK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, "major.minor.patch". Never freed. */
ZPACK_API const char* zpack_version(void);

/* ---- Errors ---- */

typedef enum zpack_code {
  ZPACK_OK = 0,
  ZPACK_EIO = -1,           /* the system refused a read, write or rename */
  ZPACK_ENOTDURABLE = -2,   /* complete, but its directory was not synced */
  ZPACK_ECORRUPT = -3,      /* the file contradicts its format */
  ZPACK_EUNSUPPORTED = -4,  /* valid, but not for this version */
  ZPACK_ENOTFOUND = -5,     /* no such object, ref, file or repository */
  ZPACK_EAMBIGUOUS = -6,    /* an abbreviated id fits several objects */
  ZPACK_EINVALID = -7,      /* an argument or option is not allowed */
  ZPACK_EEXISTS = -8,       /* the destination exists already */
  ZPACK_ELIMIT = -9,        /* a size in the file is above a limit */
  ZPACK_EMISMATCH = -10,    /* what was read back differs from the source */
  ZPACK_ESOURCE = -11,      /* the source lacks an object, or it is damaged */
  ZPACK_EINTERRUPTED = -12, /* a progress callback asked to stop */
  ZPACK_EGIT = -13,         /* libgit2 refused the repository */
  ZPACK_ENOMEMORY = -14,    /* the system gave no memory */
  ZPACK_EINTERNAL = -15     /* a bug in this library */
} zpack_code;

/* An object id: 20 bytes for SHA-1, 32 for SHA-256. */
typedef struct zpack_oid {
  unsigned char bytes[32];
  unsigned char size; /* 20 or 32; 0 for no id */
} zpack_oid;

typedef struct zpack_error {
  zpack_code code;
  const char* message; /* complete; safe to print */
  const char* path;    /* the file that it is about, or "" */
  zpack_oid object;    /* the object that it is about, or of size 0 */
  int has_offset;      /* 1 if `offset` is known, or 0 */
  uint64_t offset;     /* of the damaged part in the file */
} zpack_error;

/* The error of the last call in this thread that failed. Valid until the next
 * call in this thread. Never NULL. */
ZPACK_API const zpack_error* zpack_error_last(void);

/* ---- Object ids ---- */

/* Room for an id in hexadecimal, and NUL. */
#define ZPACK_OID_HEX_SIZE 65

/* Parses 40 or 64 hexadecimal digits. ZPACK_EINVALID for any other text. */
ZPACK_API int zpack_oid_from_hex(zpack_oid* out, const char* hex);
/* Writes 40 or 64 hexadecimal digits and NUL. `out` has room for
 * ZPACK_OID_HEX_SIZE bytes. */
ZPACK_API void zpack_oid_to_hex(char* out, const zpack_oid* oid);
/* 0 if they are equal; otherwise the sign says which comes first, as in Git. */
ZPACK_API int zpack_oid_compare(const zpack_oid* a, const zpack_oid* b);

/* ---- Archives ---- */

typedef struct zpack_archive zpack_archive; /* an open .zpack file */

typedef struct zpack_open_options {
  unsigned version; /* ZPACK_OPEN_OPTIONS_VERSION */
  /* Limits in bytes; 0 stands for the default. A file that needs more gives
   * ZPACK_ELIMIT before that much is allocated. */
  uint64_t max_block_size;  /* of one block, decoded; default 256 MiB */
  uint64_t max_object_size; /* that zpack_read returns; default 4 GiB */
  uint64_t max_chunk_size;  /* of a table; default 16 GiB */
  uint64_t cache_size;      /* for decoded blocks; default 256 MiB */
  /* 1: zpack_read and zpack_stream do not hash objects, for callers that do it
   * themselves. Checksums of blocks are still checked. */
  int skip_hashes;
  /* Since version 2. */
  const char* const* backing; /* or NULL */
  size_t backing_count;
} zpack_open_options;
#define ZPACK_OPEN_OPTIONS_VERSION 2
#define ZPACK_OPEN_OPTIONS_INIT \
  {ZPACK_OPEN_OPTIONS_VERSION, 0, 0, 0, 0, 0, NULL, 0}

/* Sets the defaults of `version`, and nothing that this version lacks.
 * ZPACK_EINVALID if the library does not know that version. The other functions
 * of this name do the same. */
ZPACK_API int zpack_open_options_init(zpack_open_options* options,
                                      unsigned version);

/* Opens the file `path`, which may be a URL (http, https). `options` may be
 * NULL. The caller calls zpack_archive_free. ZPACK_ENOTFOUND, ZPACK_EIO,
 * ZPACK_EUNSUPPORTED if it is no .zpack file or has a newer format,
 * ZPACK_ECORRUPT, ZPACK_ELIMIT. */
ZPACK_API int zpack_open(zpack_archive** out, const char* path,
                         const zpack_open_options* options);
ZPACK_API void zpack_archive_free(zpack_archive* archive);

/* Bytes of an object id of this archive: 20 or 32. */
ZPACK_API size_t zpack_oid_size(const zpack_archive* archive);
ZPACK_API uint32_t zpack_object_count(const zpack_archive* archive);

typedef struct zpack_cost {
  uint64_t blocks; /* read from the file; a block read twice counts twice */
  uint64_t bytes;  /* of these blocks in the file, compressed */
} zpack_cost;

/* What reading has cost so far, in all threads. */
ZPACK_API void zpack_read_cost(zpack_cost* out, const zpack_archive* archive);

/* ---- Refs ---- */

typedef struct zpack_ref {
  const char* name;          /* full name, or "HEAD" */
  zpack_oid target;          /* of size 0 for a symbolic ref */
  zpack_oid peeled;          /* what an annotated tag leads to, or of size 0 */
  const char* symref_target; /* the ref that it points at, or NULL */
} zpack_ref;

typedef int (*zpack_ref_cb)(const zpack_ref* ref, void* payload);

/* HEAD. The strings belong to the archive. HEAD is unborn if it is symbolic and
 * no such ref exists. */
ZPACK_API void zpack_head(zpack_ref* out, const zpack_archive* archive);
/* Calls `callback` with each ref but HEAD, in the order of names. */
ZPACK_API int zpack_foreach_ref(const zpack_archive* archive,
                                zpack_ref_cb callback, void* payload);
/* The object that a ref, "HEAD", or a full or abbreviated id stands for, also
 * with suffixes such as ~2, ^{tree} and :path. Without a suffix, a tag is not
 * peeled. ZPACK_ENOTFOUND, also if HEAD is unborn; ZPACK_EAMBIGUOUS;
 * ZPACK_ECORRUPT. */
ZPACK_API int zpack_resolve(zpack_oid* out, const zpack_archive* archive,
                            const char* name);
/* The object whose id begins with the hexadecimal digits `abbreviation`, one or
 * more. Refs are ignored. ZPACK_ENOTFOUND, also for any other text;
 * ZPACK_EAMBIGUOUS; ZPACK_ECORRUPT. */
ZPACK_API int zpack_resolve_abbreviation(zpack_oid* out,
                                         const zpack_archive* archive,
                                         const char* abbreviation);

/* ---- Objects ---- */

/* Numbered as in a Git pack. */
typedef enum zpack_type {
  ZPACK_COMMIT = 1,
  ZPACK_TREE = 2,
  ZPACK_BLOB = 3,
  ZPACK_TAG = 4
} zpack_type;

/* "commit", "tree", "blob" or "tag"; "" for no zpack_type. Never freed. */
ZPACK_API const char* zpack_type_name(int type);

typedef struct zpack_object {
  zpack_type type;
  const unsigned char* data; /* without the header that is hashed before it;
                                may be NULL if the size is 0 */
  size_t size;
  void* owner; /* of `data` */
} zpack_object;

/* Sets `*out` to 1 if the object is in the archive, and to 0 if not. The empty
 * tree is in every archive here and in all functions that take an id, as Git
 * knows it without storing it; only if it is stored is it counted and listed.
 * ZPACK_ECORRUPT if the index is damaged at the place that decides. */
ZPACK_API int zpack_contains(int* out, const zpack_archive* archive,
                             const zpack_oid* oid);
/* Type and size of an object, which is not hashed. `type` and `size` may be
 * NULL. ZPACK_ENOTFOUND, ZPACK_ECORRUPT. */
ZPACK_API int zpack_read_header(zpack_type* type, uint64_t* size,
                                const zpack_archive* archive,
                                const zpack_oid* oid);
/* An object, whole; its content hashes to `oid`. The caller calls
 * zpack_object_dispose. ZPACK_ENOTFOUND, ZPACK_ECORRUPT, ZPACK_ELIMIT above
 * max_object_size. */
ZPACK_API int zpack_read(zpack_object* out, const zpack_archive* archive,
                         const zpack_oid* oid);
/* Frees the content, and empties `object`. */
ZPACK_API void zpack_object_dispose(zpack_object* object);

typedef int (*zpack_piece_cb)(const unsigned char* data, size_t size,
                              void* payload);
/* Passes the content of an object of any size to `callback`, in order. An
 * object of at most cache_size bytes is hashed before the first piece; of a
 * larger one, ZPACK_ECORRUPT may come after the last piece. */
ZPACK_API int zpack_stream(const zpack_archive* archive, const zpack_oid* oid,
                           zpack_piece_cb callback, void* payload);

typedef enum zpack_order {
  ZPACK_ORDER_ID = 0,     /* of the ids */
  ZPACK_ORDER_STORAGE = 1 /* in which reading all objects is fastest */
} zpack_order;

typedef int (*zpack_oid_cb)(const zpack_oid* oid, void* payload);
/* Calls `callback` with the id of each object. `order` is a zpack_order. */
ZPACK_API int zpack_foreach_oid(const zpack_archive* archive, int order,
                                zpack_oid_cb callback, void* payload);

typedef struct zpack_object_view {
  zpack_oid oid;
  zpack_type type;
  uint64_t size;
  /* The content, which hashes to `oid`. NULL if it is larger than max_content,
   * or if the object cannot be read. */
  const unsigned char* data;
  const zpack_error* error; /* why it cannot be read; otherwise NULL */
} zpack_object_view;

typedef int (*zpack_object_cb)(const zpack_object_view* object, void* payload);

typedef struct zpack_foreach_options {
  unsigned version;     /* ZPACK_FOREACH_OPTIONS_VERSION */
  unsigned threads;     /* that decode; 0: one for each processor */
  uint64_t max_content; /* in bytes; 0: 64 MiB */
  /* 0: the first object that cannot be read ends the call with its error.
   * 1: such objects are passed on with their errors. */
  int pass_errors;
} zpack_foreach_options;
#define ZPACK_FOREACH_OPTIONS_VERSION 1
#define ZPACK_FOREACH_OPTIONS_INIT {ZPACK_FOREACH_OPTIONS_VERSION, 0, 0, 0}
ZPACK_API int zpack_foreach_options_init(zpack_foreach_options* options,
                                         unsigned version);

/* Calls `callback` with all objects and their contents, in storage order, as
 * fast as it can: several threads decode each block once. `options` may be
 * NULL. */
ZPACK_API int zpack_foreach_object(const zpack_archive* archive,
                                   const zpack_foreach_options* options,
                                   zpack_object_cb callback, void* payload);

/* ---- Files of the repository ---- */

/* Neither object nor ref: a reflog, a hook, an object of Git LFS, ... */
typedef struct zpack_file {
  /* Both are valid in the callback. */
  const char* group;        /* "reflogs", "hooks", "lfs", ... */
  const char* name;         /* path below the git directory */
  int executable;           /* 1 if its owner may run it, or 0 */
  uint64_t size;            /* in bytes */
  unsigned char sha256[32]; /* of the content */
} zpack_file;

typedef int (*zpack_file_cb)(const zpack_file* file, void* payload);
/* Calls `callback` with each file, in the order of names. ZPACK_ECORRUPT,
 * ZPACK_ELIMIT. */
ZPACK_API int zpack_foreach_file(const zpack_archive* archive,
                                 zpack_file_cb callback, void* payload);
/* Passes the content of the file `name` to `callback`, in order. It is hashed
 * before the first piece. ZPACK_ENOTFOUND, ZPACK_ECORRUPT. */
ZPACK_API int zpack_stream_file(const zpack_archive* archive, const char* name,
                                zpack_piece_cb callback, void* payload);

/* ---- History ---- */

typedef struct zpack_walked {
  zpack_oid oid;
  zpack_type type;
  /* Path of a tree or blob, name of a tag; may contain any bytes. It does not
   * end in NUL. */
  const char* name;
  size_t name_size;
} zpack_walked;

typedef int (*zpack_walk_cb)(const zpack_walked* object, void* payload);

typedef struct zpack_walk_options {
  unsigned version;        /* ZPACK_WALK_OPTIONS_VERSION */
  int all_refs;            /* 1: start from all refs and HEAD */
  const zpack_oid* starts; /* further objects to start from, or NULL */
  size_t start_count;
  int objects; /* 0: only commits; 1: tags, trees and blobs, too */
} zpack_walk_options;
#define ZPACK_WALK_OPTIONS_VERSION 1
#define ZPACK_WALK_OPTIONS_INIT {ZPACK_WALK_OPTIONS_VERSION, 0, NULL, 0, 0}
ZPACK_API int zpack_walk_options_init(zpack_walk_options* options,
                                      unsigned version);

/* Calls `callback` with each object that can be reached, once, in the order of
 * git-rev-list(1). ZPACK_ENOTFOUND if a needed object is missing,
 * ZPACK_ECORRUPT. */
ZPACK_API int zpack_walk(const zpack_archive* archive,
                         const zpack_walk_options* options,
                         zpack_walk_cb callback, void* payload);

/* ---- Searching ---- */

typedef enum zpack_syntax {
  ZPACK_SYNTAX_BASIC = 0,    /* POSIX basic regular expressions */
  ZPACK_SYNTAX_EXTENDED = 1, /* POSIX extended regular expressions */
  ZPACK_SYNTAX_FIXED = 2,    /* plain text */
  ZPACK_SYNTAX_PERL = 3      /* PCRE2 */
} zpack_syntax;

/* What is done with files that have a zero byte among the first 8,000. */
typedef enum zpack_binary_files {
  ZPACK_BINARY_WHOLE = 0,  /* searched; only that a line matches is told */
  ZPACK_BINARY_TEXT = 1,   /* as all others */
  ZPACK_BINARY_WITHOUT = 2 /* not searched */
} zpack_binary_files;

/* Another thread calls it, ten times a second. A value other than 0 stops the
 * search, which returns ZPACK_EINTERRUPTED. */
typedef int (*zpack_stop_cb)(void* payload);

typedef struct zpack_search_options {
  unsigned version; /* ZPACK_SEARCH_OPTIONS_VERSION */
  unsigned threads; /* that search; 0: one for each processor */
  /* A line has to match one of these, of which there is at least one. The
   * locale of the process (LC_CTYPE) says what letters are. */
  const char* const* patterns;
  size_t pattern_count;
  int syntax;      /* a zpack_syntax */
  int ignore_case; /* 1: upper and lower case match each other */
  int words;       /* 1: only matches at the boundaries of words */
  int invert;      /* 1: the lines that do not match */
  int all_match;   /* 1: only files in which each of the patterns matches */
  int binary;      /* a zpack_binary_files */
  /* Paths relative to the top, as in gitglossary(7). None: all. */
  const char* const* paths; /* or NULL */
  size_t path_count;
  /* zpack_search_tree: directories below a path to look into; -1: all. */
  int max_depth;
  /* 1: zpack_search_tree and zpack_search_versions also pass on files without a
   * line that matches. */
  int all_files;
  zpack_stop_cb stop; /* or NULL */
  void* stop_payload; /* for `stop` */
} zpack_search_options;
#define ZPACK_SEARCH_OPTIONS_VERSION 1
#define ZPACK_SEARCH_OPTIONS_INIT \
  {ZPACK_SEARCH_OPTIONS_VERSION,  \
   0,                             \
   NULL,                          \
   0,                             \
   ZPACK_SYNTAX_BASIC,            \
   0,                             \
   0,                             \
   0,                             \
   0,                             \
   ZPACK_BINARY_WHOLE,            \
   NULL,                          \
   0,                             \
   -1,                            \
   0,                             \
   NULL,                          \
   NULL}
ZPACK_API int zpack_search_options_init(zpack_search_options* options,
                                        unsigned version);

/* Texts and paths of results may contain any bytes, and do not end in NUL. */

typedef struct zpack_matching_line {
  uint64_t number;  /* counted from 1 */
  const char* text; /* without the line feed */
  size_t text_size;
} zpack_matching_line;

typedef struct zpack_searched_file {
  const char* path; /* relative to the tree; of size 0 for a blob */
  size_t path_size;
  zpack_oid blob;
  int binary; /* 1: the file matches; there are no lines */
  const zpack_matching_line* lines;
  size_t line_count; /* 0 for a text only with all_files */
} zpack_searched_file;

typedef int (*zpack_searched_file_cb)(const zpack_searched_file* file,
                                      void* payload);
/* Searches the files of the tree, or the blob, that `root` leads to, and calls
 * `callback` with each, in the order of paths. Contents are not hashed.
 * ZPACK_EINVALID for a pattern or path that is not valid, ZPACK_ENOTFOUND for
 * an object that is missing, ZPACK_ECORRUPT, ZPACK_ELIMIT,
 * ZPACK_EINTERRUPTED. */
ZPACK_API int zpack_search_tree(const zpack_archive* archive,
                                const zpack_oid* root,
                                const zpack_search_options* options,
                                zpack_searched_file_cb callback, void* payload);

typedef struct zpack_history_match {
  const char* path; /* of size 0 if no commit has the blob */
  size_t path_size;
  const char* text; /* of the line; of size 0 for a binary file */
  size_t text_size;
  int binary;        /* 1: the file matches; nothing more is known */
  uint64_t line;     /* number in `blob`, from 1; 0 for a binary file */
  zpack_oid blob;    /* the first version with the line */
  zpack_oid brought; /* the commit that brought it, or of size 0 */
  int present; /* 1 if a branch, a remote branch or HEAD has the line now */
  /* The commit that removed the line. Of size 0 if the line is present, or if
   * no single commit removed it. */
  zpack_oid removed;
} zpack_history_match;

typedef int (*zpack_history_match_cb)(const zpack_history_match* match,
                                      void* payload);
/* Searches every blob of the file once, and calls `callback` with each line at
 * each path of the history, the youngest commit first. Errors as for
 * zpack_search_tree; ZPACK_ELIMIT also if what matches takes more than about
 * 500 MiB of memory. */
ZPACK_API int zpack_search_history(const zpack_archive* archive,
                                   const zpack_search_options* options,
                                   zpack_history_match_cb callback,
                                   void* payload);

typedef struct zpack_matching_blob {
  zpack_oid blob;
  const char* path; /* the first one of the history; of size 0 if none has it */
  size_t path_size;
  int binary;
  uint64_t lines; /* that match; 0 only with all_files */
} zpack_matching_blob;

typedef int (*zpack_matching_blob_cb)(const zpack_matching_blob* blob,
                                      void* payload);
/* As zpack_search_history, but calls `callback` with each blob that matches, in
 * the order of the commits that brought them, the youngest first. */
ZPACK_API int zpack_search_versions(const zpack_archive* archive,
                                    const zpack_search_options* options,
                                    zpack_matching_blob_cb callback,
                                    void* payload);

/* ---- Commits and the files that they change ---- */

/* Where the earlier version of an added file is looked for. */
typedef enum zpack_renames {
  ZPACK_RENAMES_NONE = 0,         /* nowhere */
  ZPACK_RENAMES_REMOVED = 1,      /* among removed files, as with -M */
  ZPACK_RENAMES_COPIES = 2,       /* and among changed files, as with -C */
  ZPACK_RENAMES_COPIES_HARDER = 3 /* and among all files */
} zpack_renames;

/* Which commits are wanted for what they change, as in git-log(1). */
typedef enum zpack_pickaxe {
  ZPACK_PICKAXE_NONE = 0,
  ZPACK_PICKAXE_STRING = 1,     /* -S: a text occurs more or less often */
  ZPACK_PICKAXE_EXPRESSION = 2, /* -S with --pickaxe-regex */
  ZPACK_PICKAXE_LINES = 3,      /* -G: an added or removed line matches */
  ZPACK_PICKAXE_OBJECT = 4      /* --find-object: `object` comes or goes */
} zpack_pickaxe;

#define ZPACK_MOST_SIMILAR 60000 /* 100 % */

typedef struct zpack_log_options {
  unsigned version;        /* ZPACK_LOG_OPTIONS_VERSION */
  unsigned threads;        /* 0: one for each processor */
  const zpack_oid* starts; /* or NULL */
  size_t start_count;
  const zpack_oid* excluded; /* left out with their ancestors; or NULL */
  size_t excluded_count;
  /* As in gitglossary(7); only commits that change them. None: all. */
  const char* const* paths; /* or NULL */
  size_t path_count;
  int all_refs; /* 1: starts also from all refs and HEAD */
  int full_history;
  int follow;           /* 1: follows the only path beyond renames */
  int first_parent;     /* 1: compares merges with their first parents */
  int reverse;          /* 1: the oldest commit first */
  uint64_t skip;        /* commits */
  uint64_t max_commits; /* 0: all */
  uint64_t since;       /* seconds since 1970, of the committer */
  uint64_t until;       /* 0: no limit */
  int min_parents;
  int max_parents;         /* -1: no limit */
  int files;               /* 1: zpack_commit has its files */
  int renames;             /* a zpack_renames */
  uint32_t min_similarity; /* of a renamed file, of ZPACK_MOST_SIMILAR */
  uint64_t rename_limit;   /* files on each side; above, only equal files are
                              found; 0: no limit */
  const char* diff_filter; /* letters as in git-log(1), or NULL */
  int pickaxe;             /* a zpack_pickaxe */
  const char* pattern;     /* of the pickaxe, or NULL */
  zpack_oid object;        /* for ZPACK_PICKAXE_OBJECT */
  int ignore_case;         /* of letters in `pattern` */
  int pickaxe_all;         /* 1: all files of a commit with a wanted file */
  int text;                /* 1: ZPACK_PICKAXE_LINES reads binary files */
  zpack_stop_cb stop;      /* as for searches, or NULL */
  void* stop_payload;
} zpack_log_options;
#define ZPACK_LOG_OPTIONS_VERSION 1
#define ZPACK_LOG_OPTIONS_INIT                                      \
  {1,    0,    NULL, 0,    NULL,     0, NULL, 0,  0,    0,   0,     \
   0,    0,    0,    0,    0,        0, 0,    -1, 0,    1,   30000, \
   1000, NULL, 0,    NULL, {{0}, 0}, 0, 0,    0,  NULL, NULL}
ZPACK_API int zpack_log_options_init(zpack_log_options* options,
                                     unsigned version);

typedef struct zpack_changed_file {
  /* 'A' added, 'D' removed, 'M' changed, 'T' of another type, 'R' renamed, 'C'
   * copied. */
  char status;
  uint32_t similarity; /* for 'R' and 'C', of ZPACK_MOST_SIMILAR */
  uint32_t old_mode;   /* 0, and an id of size 0: there is none */
  uint32_t new_mode;
  zpack_oid old_oid;
  zpack_oid new_oid;
  const char* old_path;
  size_t old_path_size;
  const char* new_path; /* differs only for 'R' and 'C' */
  size_t new_path_size;
} zpack_changed_file;

typedef struct zpack_commit {
  zpack_oid oid;
  const char* content;
  size_t content_size;
  const zpack_oid* parents; /* none at a shallow boundary */
  size_t parent_count;
  /* In Git's order. Those of a merge are known only with first_parent. */
  const zpack_changed_file* files;
  size_t file_count;
} zpack_commit;

typedef int (*zpack_commit_cb)(const zpack_commit* commit, void* payload);
/* Calls `callback` with each commit, in the order of git-log(1). Contents are
 * not hashed, and attributes not read. Errors as for zpack_search_tree. */
ZPACK_API int zpack_log(const zpack_archive* archive,
                        const zpack_log_options* options,
                        zpack_commit_cb callback, void* payload);

/* ---- Whole files ---- */

typedef struct zpack_progress {
  const char* phase; /* such as "Compressing objects"; "Opening" before that */
  uint64_t objects;
  uint64_t total_objects; /* 0 if it is not known */
  uint64_t bytes;
  uint64_t total_bytes; /* 0 if it is not known */
} zpack_progress;

/* Any thread may call it, one at a time, about ten times a second, also while
 * the operation waits for a server. A value other than 0 stops the operation,
 * which returns ZPACK_EINTERRUPTED. */
typedef int (*zpack_progress_cb)(const zpack_progress* progress, void* payload);

typedef struct zpack_run_options {
  unsigned threads; /* 0: one for each processor */
  uint64_t memory;  /* in bytes, besides some for each object; 0: the default */
  zpack_progress_cb progress; /* may be NULL */
  void* payload;              /* for `progress` */
} zpack_run_options;
#define ZPACK_RUN_OPTIONS_INIT {0, 0, NULL, NULL}

typedef enum zpack_level {
  ZPACK_LEVEL_STRUCTURE = 0,
  ZPACK_LEVEL_CHECKSUMS = 1,
  ZPACK_LEVEL_OBJECTS = 2,
  ZPACK_LEVEL_CONNECTIVITY = 3
} zpack_level;

typedef struct zpack_verify_options {
  unsigned version; /* ZPACK_VERIFY_OPTIONS_VERSION */
  zpack_run_options run;
  int level;       /* a zpack_level */
  int allow_newer; /* 1: the repository may have grown since */
  /* Since version 2. */
  int own; /* 1: does not check the files that the file depends on */
  const char* const* backing; /* or NULL */
  size_t backing_count;
} zpack_verify_options;
#define ZPACK_VERIFY_OPTIONS_VERSION 2
#define ZPACK_VERIFY_OPTIONS_INIT \
  {ZPACK_VERIFY_OPTIONS_VERSION,  \
   ZPACK_RUN_OPTIONS_INIT,        \
   ZPACK_LEVEL_OBJECTS,           \
   0,                             \
   0,                             \
   NULL,                          \
   0}
ZPACK_API int zpack_verify_options_init(zpack_verify_options* options,
                                        unsigned version);

typedef struct zpack_report zpack_report;

/* Verifies the file `path`, and compares it with `repository` unless that is
 * NULL. Damage and differences are no errors of the call. `options` may be
 * NULL. The caller calls zpack_report_free. */
ZPACK_API int zpack_verify(zpack_report** out, const char* path,
                           const char* repository,
                           const zpack_verify_options* options);
ZPACK_API void zpack_report_free(zpack_report* report);
/* 1 if there is neither damage nor a difference. */
ZPACK_API int zpack_report_ok(const zpack_report* report);
ZPACK_API uint64_t zpack_report_objects(const zpack_report* report);
ZPACK_API uint64_t zpack_report_verified(const zpack_report* report);
ZPACK_API size_t zpack_report_damage_count(const zpack_report* report);
/* Damage number `index`, which belongs to the report. NULL if there is none. */
ZPACK_API const zpack_error* zpack_report_damage(const zpack_report* report,
                                                 size_t index);
ZPACK_API size_t zpack_report_difference_count(const zpack_report* report);
/* What differs, in words. NULL if there is no such difference. */
ZPACK_API const char* zpack_report_difference(const zpack_report* report,
                                              size_t index);

typedef enum zpack_profile {
  ZPACK_PROFILE_FAST = 0,
  ZPACK_PROFILE_BALANCED = 1,
  ZPACK_PROFILE_MAX = 2,
  ZPACK_PROFILE_COLD = 3
} zpack_profile;

typedef struct zpack_convert_options {
  unsigned version; /* ZPACK_CONVERT_OPTIONS_VERSION */
  zpack_run_options run;
  int profile;        /* a zpack_profile */
  const char* base;   /* an older file whose blocks are copied, or NULL */
  int reachable;      /* 1: only objects that refs, HEAD and reflogs reach */
  int overwrite;      /* 1: replaces an existing file */
  int allow_promised; /* 1: takes partial clones */
  /* Since version 2. */
  /* A file on which the new file depends, or NULL. The new file holds only what
   * this one lacks, and cannot be read without it. Not together with `base`. */
  const char* onto;
  /* 1, with `onto`: writes nothing if the new file would have the same refs,
   * objects and files. ZPACK_EEXISTS if `onto` is the file of another
   * repository. */
  int skip_unchanged;
  int* written; /* set to 1, or to 0 if nothing was written; or NULL */
  /* 1, with `overwrite`: replaces also a file on which others in its directory
   * depend, which are useless then. 0: that is ZPACK_EEXISTS. */
  int lose_dependents;
  const char* const* backing; /* or NULL */
  size_t backing_count;
} zpack_convert_options;
#define ZPACK_CONVERT_OPTIONS_VERSION 2
#define ZPACK_CONVERT_OPTIONS_INIT \
  {ZPACK_CONVERT_OPTIONS_VERSION,  \
   ZPACK_RUN_OPTIONS_INIT,         \
   ZPACK_PROFILE_BALANCED,         \
   NULL,                           \
   0,                              \
   0,                              \
   0,                              \
   NULL,                           \
   0,                              \
   NULL,                           \
   0,                              \
   NULL,                           \
   0}
ZPACK_API int zpack_convert_options_init(zpack_convert_options* options,
                                         unsigned version);

/* Makes the file `path` of `repository`, reads it back and hashes every object.
 * `options` may be NULL. ZPACK_EEXISTS, ZPACK_ENOTFOUND, ZPACK_ESOURCE,
 * ZPACK_EGIT, ZPACK_EIO, ZPACK_ENOTDURABLE, ZPACK_EINTERRUPTED and others. */
ZPACK_API int zpack_convert(const char* repository, const char* path,
                            const zpack_convert_options* options);

/* The profile with which blocks are copied and not encoded again. */
#define ZPACK_PROFILE_COPY (-1)

typedef struct zpack_consolidate_options {
  unsigned version; /* ZPACK_CONSOLIDATE_OPTIONS_VERSION */
  zpack_run_options run;
  int profile; /* a zpack_profile, or ZPACK_PROFILE_COPY */
  /* The first file that is joined, counted from 1 in the order of dependence.
   * The new file depends on the one before it. */
  unsigned from;
  /* 0, or at least 2: joins as few of the newest files as leave each file this
   * many times as large as all newer ones together. `from` is then 1. */
  unsigned geometric;
  int overwrite;       /* as for zpack_convert; may replace the newest file */
  int lose_dependents; /* as for zpack_convert */
  const char* const* backing; /* or NULL */
  size_t backing_count;
} zpack_consolidate_options;
#define ZPACK_CONSOLIDATE_OPTIONS_VERSION 1
#define ZPACK_CONSOLIDATE_OPTIONS_INIT \
  {ZPACK_CONSOLIDATE_OPTIONS_VERSION,  \
   ZPACK_RUN_OPTIONS_INIT,             \
   ZPACK_PROFILE_COPY,                 \
   1,                                  \
   0,                                  \
   0,                                  \
   0,                                  \
   NULL,                               \
   0}
ZPACK_API int zpack_consolidate_options_init(zpack_consolidate_options* options,
                                             unsigned version);

typedef struct zpack_consolidated {
  uint64_t files;        /* that were joined; 0 if nothing was written */
  uint64_t files_below;  /* on which the new file depends */
  uint64_t objects;      /* in the new file */
  uint64_t bytes_before; /* of the files that were joined */
  uint64_t bytes;        /* of the new file */
} zpack_consolidated;

/* Makes one file `output` of the file `path` and those that it depends on, with
 * the same objects, refs and files; or writes one file again with another
 * profile. Needs no repository. The new file is read back, and every object is
 * hashed. `out` and `options` may be NULL. ZPACK_EEXISTS, ZPACK_ENOTFOUND,
 * ZPACK_ECORRUPT, ZPACK_ELIMIT, ZPACK_EIO, ZPACK_ENOTDURABLE,
 * ZPACK_EINTERRUPTED and others. */
ZPACK_API int zpack_consolidate(zpack_consolidated* out, const char* path,
                                const char* output,
                                const zpack_consolidate_options* options);

typedef struct zpack_restore_options {
  unsigned version; /* ZPACK_RESTORE_OPTIONS_VERSION */
  zpack_run_options run;
  int overwrite; /* 1: replaces an existing bare repository */
  int trust;     /* 1: hooks, settings and other files become active */
  /* Since version 2. */
  const char* const* backing; /* or NULL */
  size_t backing_count;
} zpack_restore_options;
#define ZPACK_RESTORE_OPTIONS_VERSION 2
#define ZPACK_RESTORE_OPTIONS_INIT \
  {ZPACK_RESTORE_OPTIONS_VERSION, ZPACK_RUN_OPTIONS_INIT, 0, 0, NULL, 0}
ZPACK_API int zpack_restore_options_init(zpack_restore_options* options,
                                         unsigned version);

/* Makes the bare repository `directory` of the file `path`, and hashes every
 * object. `options` may be NULL. ZPACK_EEXISTS, ZPACK_ECORRUPT, ZPACK_ELIMIT,
 * ZPACK_EIO, ZPACK_ENOTDURABLE, ZPACK_EINTERRUPTED and others. */
ZPACK_API int zpack_restore(const char* path, const char* directory,
                            const zpack_restore_options* options);

typedef struct zpack_repack_options {
  unsigned version; /* ZPACK_REPACK_OPTIONS_VERSION */
  zpack_run_options run;
  int remove_redundant; /* 1: removes old packs and loose objects */
  int no_reuse;         /* 1: makes all deltas anew, as `git repack -F` */
} zpack_repack_options;
#define ZPACK_REPACK_OPTIONS_VERSION 1
#define ZPACK_REPACK_OPTIONS_INIT \
  {ZPACK_REPACK_OPTIONS_VERSION, ZPACK_RUN_OPTIONS_INIT, 0, 0}
ZPACK_API int zpack_repack_options_init(zpack_repack_options* options,
                                        unsigned version);

/* Packs the reachable objects of `repository` into one pack, as `git repack
 * -a`. `options` may be NULL. ZPACK_ENOTFOUND, ZPACK_ESOURCE, ZPACK_EGIT,
 * ZPACK_EIO, ZPACK_EINTERRUPTED and others. */
ZPACK_API int zpack_repack(const char* repository,
                           const zpack_repack_options* options);

#ifdef __cplusplus
}
#endif

#endif
