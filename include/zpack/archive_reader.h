// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads a .zpack file.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "zpack/file_part.h"
#include "zpack/log.h"
#include "zpack/lost_object.h"
#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/promisor_remote.h"
#include "zpack/read_cost.h"
#include "zpack/refs.h"
#include "zpack/repository_files.h"
#include "zpack/result.h"
#include "zpack/search.h"
#include "zpack/visit.h"
#include "zpack/walk.h"

namespace zpack {

// The parts of a file, for programs that show them.
struct FileDescription {
  struct Chunk {
    std::string id;
    uint64_t offset = 0;
    uint64_t size = 0;  // framing included
    bool required = false;
  };
  struct Stream {
    std::string kind;   // "sizes", "contents", "literals", ...
    std::string codec;  // "stored", "zstd", ...
    uint64_t raw_size = 0;
    uint64_t stored_size = 0;
  };
  struct Block {
    uint64_t offset = 0;
    uint64_t size = 0;  // framing included
    std::string kind;   // as FORMAT.md names it: "objects", "trees", ...
    ObjectType type = ObjectType::kBlob;
    uint32_t first_object = 0;
    uint32_t object_count = 0;
    uint64_t segment_offset = 0;
    std::vector<Stream> streams;
  };

  uint64_t file_size = 0;
  uint16_t format_major = 0;
  uint16_t format_minor = 0;
  ObjectFormat object_format = ObjectFormat::kSha1;
  uint32_t object_count = 0;  // without those of files below
  // The files that the file depends on, directly or through others, the first
  // one first. All but these and the lists of objects is about the file alone.
  std::vector<FilePart> below;
  uint64_t header_size = 0;
  uint64_t table_of_contents_offset = 0;
  std::vector<std::string> required_features;
  std::vector<std::string> optional_features;
  std::vector<Chunk> chunks;
  std::vector<Block> blocks;
  // Objects that the file of a partial clone lacks, and who has them.
  uint64_t promised_objects = 0;
  std::vector<PromisorRemote> promisor_remotes;
  // Objects that the repository had lost when the file was made.
  std::vector<ListedLoss> lost_objects;
  std::string content_digest;  // hexadecimal
  std::string file_hash;       // hexadecimal
};

// An object of a file. `content` is Git's content without the header that is
// hashed before it: a commit or tag is text; a tree is a sequence of
// "<mode> <name>\0<id>", as tools/examples/list_tree.cc parses it.
struct Object {
  ObjectType type = ObjectType::kBlob;
  std::vector<uint8_t> content;
};

// Content that ArchiveReader::ReadPart returns.
struct ContentPart {
  uint64_t offset = 0;  // of the first of `bytes` in the content
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;  // `bytes` are valid while it exists
};

// An object that ArchiveReader::ReadAll passes on.
struct ObjectView {
  ObjectId id;
  ObjectInfo info;
  // The content as in Object, valid during the call. Absent if it has more than
  // BulkOptions::max_content bytes, or, for a large object, more than a limit
  // of ReadOptions; ArchiveReader::Stream reads it then.
  std::optional<std::span<const uint8_t>> content;
};

// The time of the committer in the content of a commit, in seconds since 1970,
// as Git 2.41 and later read it: the number after the last '>' of the line that
// follows the one of the author. A number that is too large gives the maximum,
// and a negative number -n gives 2^64 - n. The time is 0 if a commit has no
// such number in that place.
uint64_t CommitTime(std::span<const uint8_t> content);

struct BulkOptions {
  // Number of threads that decode. 0 means one for each processor that this
  // process may use.
  unsigned threads = 0;
  // Larger objects come without their contents.
  uint64_t max_content = uint64_t{64} << 20;
  // If it is not empty, only objects for which it returns true are passed on,
  // and blocks without such an object are not decoded. Any thread may call it,
  // several at once.
  std::function<bool(const ObjectInfo&)> wants = {};
  // Is called, instead of the visiting function, with each object that cannot
  // be read, and the reason. If it is empty, the first such object ends the
  // call with that error.
  std::function<Result<Visit>(const ObjectId&, const Error&)> on_error = {};
  std::stop_token stop = {};
};

// Order of objects. kId is the order of the ids. kStorage is the order in which
// the file stores the objects; reading all objects is fastest in this order.
enum class IdOrder : uint8_t { kId, kStorage };

// An open file. May be used from several threads at once, which then decode
// different blocks of the file at the same time.
//
// ArchiveReader finds single objects without loading the object index of the
// file. The whole index is loaded, once,
// - for ForEachId, ReadAll, ReadAhead, Walk and Describe,
// - for the content of trees and commits,
// - before a call reports that an object is missing, and
// - after 1,000 + object_count() / 64 lookups.
// A loaded index takes about 30 bytes of memory for each object (40 bytes with
// SHA-256). Whatever needs the index may return kCorrupt, kLimitExceeded or
// kIo. Every function may return kOutOfMemory.
//
// The empty tree can be read and named by its id in every file, as Git knows it
// without storing it. Only a file that stores it counts and lists it.
//
// A function that the caller passes in runs in the calling thread. If the
// function returns Visit::kStop, the call ends with success; if the function
// returns an error, the call ends and returns that error.
class ArchiveReader {
 public:
  // Opens the file `path`, or the file at the URL `path`, and checks its
  // structure, except for the index of objects.
  //
  // Errors: kNotFound; kIo; kInvalidArgument for something that is not a
  // regular file; kUnsupported for a file that is not a .zpack file or has a
  // newer format; kCorrupt; kLimitExceeded. Once `stop` is requested, reads
  // from a URL, by this call and by every function of the object, end within
  // about a second with kInterrupted.
  static Result<std::unique_ptr<ArchiveReader>> Open(const std::string& path,
                                                     const ReadOptions& options,
                                                     std::stop_token stop = {});
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  ObjectFormat object_format() const;
  const RefsSnapshot& refs() const;

  uint32_t object_count() const;
  // The SHA-256 of the file as its trailer states it, in hexadecimal. The file
  // is not hashed.
  std::string file_hash() const;
  // The blocks that all functions of this object, in all threads, have read for
  // decoding. Describe does not count, nor do tables.
  ReadCost read_cost() const;
  // Calls `visit` with the id of every object, in the given order.
  Status ForEachId(
      IdOrder order,
      const std::function<Result<Visit>(const ObjectId&)>& visit) const;

  // True if the object is in the file, or is the empty tree. If the index is
  // damaged at the place that decides, the result is kCorrupt, never false.
  Result<bool> Contains(const ObjectId& id) const;

  // The id of the object that `name` stands for. `name` is
  // - a full object id,
  // - an abbreviated object id of four digits or more, alone or at the end of a
  //   name from git-describe(1),
  // - "HEAD" or "@", or
  // - a ref name. As in Git, 'refs/', 'refs/tags/', 'refs/heads/' and so on may
  //   be left out,
  // followed by any number of the suffixes ^, ^<n>, ~, ~<n>, ^{<type>},
  // ^{object}, ^{/<text>} and ^{}, and then possibly by ":<path>",
  // or ":/<text>" for a commit with that message, as in gitrevisions(7).
  // Without suffixes, a tag is not peeled. Commits at shallow boundaries have
  // no parents. The type that a suffix needs does not decide between several
  // objects that an abbreviation fits. Reflogs and upstreams (HEAD@{1},
  // main@{upstream}), the index (:path) and paths that begin with "./" or
  // "../" are not supported.
  //
  // The object itself is not read, and may be missing if `name` is a path of a
  // submodule or the file is of a partial clone.
  //
  // Errors: kNotFound, also if HEAD is unborn, and if a suffix or path leads to
  // nothing, and for a name that is not supported; kInvalidArgument if <text>
  // is not a regular expression; kAmbiguous if an abbreviation fits several
  // objects (the message lists them); kCorrupt as for Contains. With a suffix
  // or path also the errors of Read, and with <text> those of Walk.
  Result<ObjectId> Resolve(std::string_view name) const;

  // The part of `name`, as for Resolve, that names a ref and that Git calls
  // ambiguous: another ref has this name as well, or the id of an object is
  // this name or begins with it. Resolve takes the first ref in the order of
  // gitrevisions(7), or the object whose whole id it is. Empty if nothing is
  // ambiguous, and if ids that might be cannot be read.
  std::string_view AmbiguousRef(std::string_view name) const;

  // The path in `name`, as for Resolve: what follows the colon in 'HEAD:src'.
  // Empty without a path.
  static std::string_view PathIn(std::string_view name);

  // Whether the object with this name, as for Resolve, depends on the parents
  // of commits, as that of 'HEAD~1:src' does.
  static bool UsesParents(std::string_view name);

  // The id that begins with the hexadecimal digits `abbreviation`, one or more.
  //
  // Errors: as for Resolve.
  Result<ObjectId> ResolveAbbreviation(std::string_view abbreviation) const;

  // The first object of the type `type` that `id` leads to: the object itself,
  // the target of a tag, or the tree of a commit.
  //
  // Errors: kNotFound if there is none; the errors of Read.
  Result<ObjectId> Peel(const ObjectId& id, ObjectType type) const;

  // The best common ancestors of two commits, as git-merge-base(1) finds them
  // with --all, in any order. Empty if the commits have no common ancestor.
  //
  // Errors: kNotFound if a commit is missing; kCorrupt if one of the objects is
  // not a commit or a block cannot be decoded; kInterrupted.
  Result<std::vector<ObjectId>> MergeBases(const ObjectId& a,
                                           const ObjectId& b) const;

  // The type and size of an object. The object is not hashed.
  //
  // Errors: kNotFound; kCorrupt if the object cannot be decoded.
  Result<ObjectInfo> ReadInfo(const ObjectId& id) const;

  // An object, whole. Type and content hash to `id`.
  //
  // Errors: kNotFound; kCorrupt if the object cannot be decoded or does not
  // hash to `id`; kLimitExceeded above ReadOptions::max_object_size.
  Result<Object> Read(const ObjectId& id) const;

  // Passes the content of an object to `piece`, in order, for objects of any
  // size. An object of at most ReadOptions::cache_size bytes is hashed before
  // the first call of `piece`. The hash of a larger object may be checked only
  // at the end, so the caller must not rely on the pieces before Stream has
  // returned success. After Visit::kStop, the rest of the object is not
  // read, and the hash of a larger object is not checked.
  //
  // Errors: as for Read, but without the limit.
  Status Stream(const ObjectId& id,
                const std::function<Result<Visit>(std::span<const uint8_t>)>&
                    piece) const;

  // The part of the content of an object that has the byte at `offset`: of an
  // object that is stored in segments, one segment, and of any other object the
  // whole content. The part is shared with the cache of decoded data, so that
  // nothing is copied. Use it to read an object of any size in any order. If
  // `offset` is not less than the size of the object, the part may be empty.
  //
  // A whole content is hashed, as in Read. A segment is not: only the checksum
  // of its block is checked.
  //
  // Errors: as for Read, but without the limit.
  Result<ContentPart> ReadPart(const ObjectId& id, uint64_t offset) const;

  // Passes all objects to `visit`, in storage order, as fast as it can: decodes
  // each block once, several at the same time, and hashes objects side by side.
  // Objects of about a quarter of ReadOptions::cache_size wait for `visit` at
  // most. In addition, each thread has a decoded block and the object that it
  // makes, which may take twice BulkOptions::max_content.
  //
  // Errors: kCorrupt and kLimitExceeded for an object that cannot be read,
  // unless BulkOptions::on_error is given; kIo; kInterrupted after a stop was
  // requested; the errors of loading the index.
  Status ReadAll(
      const BulkOptions& options,
      const std::function<Result<Visit>(const ObjectView&)>& visit) const;

  // Reads these objects in the order in which they are stored, and holds their
  // contents for Read and Stream until the next call. Use it to read many
  // objects quickly in an order other than storage order. Objects larger than
  // ReadOptions::cache_size and objects that cannot be read are left out; Read
  // and Stream report what is wrong with them. Takes as much memory as the
  // contents, and what ReadAll takes.
  //
  // Errors: kOutOfMemory, and the errors of loading the index.
  Status ReadAhead(std::span<const ObjectId> ids) const;

  // Calls `visit` with every object that can be reached from the starts in
  // `options`. Each object comes once. Order and paths are those of
  // git-rev-list(1). Replacement refs are not applied. Contents are not hashed.
  //
  // Errors: kNotFound for an object that is needed and missing; kCorrupt if a
  // block cannot be decoded, if an object cannot be read, or if the type of an
  // object differs from the type that the object naming it states;
  // kLimitExceeded for a path of more than
  // 256 KiB; kInterrupted.
  Status Walk(
      const WalkOptions& options,
      const std::function<Result<Visit>(const WalkedObject&)>& visit) const;

  // Searches the files of the tree, or the blob, that `root` leads to, as
  // git-grep(1) does with a tree. Calls `visit` with them in the order of their
  // paths. Links and submodules are not searched. Contents are not hashed.
  //
  // Errors: kInvalidArgument for a pattern, an expression or a pathspec that is
  // not valid; kNotFound for an object that is missing; kCorrupt if a block
  // cannot be decoded; kLimitExceeded; kInterrupted.
  Status SearchTree(
      const ObjectId& root, const TreeSearchOptions& options,
      const std::function<Result<Visit>(const SearchedFile&)>& visit) const;

  // Searches every blob of the file once. Calls `visit` with each line at each
  // path of the history, the youngest commit first; lines that one commit
  // brought by path and number. Contents are not hashed.
  //
  // Errors: as for SearchTree; kLimitExceeded also if what matches takes more
  // than about 500 MiB of memory.
  Status SearchHistory(
      const HistorySearchOptions& options,
      const std::function<Result<Visit>(const HistoryMatch&)>& visit) const;

  // Like SearchHistory, but calls `visit` with each blob that matches, in the
  // order of the commits that brought them, the youngest first.
  Status SearchVersions(
      const HistorySearchOptions& options,
      const std::function<Result<Visit>(const MatchingBlob&)>& visit) const;

  // Calls `visit` with commits, and the files that they change, in the order of
  // git-log(1). Contents are not hashed. Attributes are not read. Commits are
  // never left out because the dates of others are wrong.
  //
  // Errors: kInvalidArgument for a pattern or a pathspec that is not valid;
  // kNotFound for an object that is missing; kCorrupt if an object cannot be
  // read; kLimitExceeded; kInterrupted.
  Status Log(
      const LogOptions& options,
      const std::function<Result<Visit>(const LoggedCommit&)>& visit) const;

  // The files of the repository, ascending by name.
  //
  // Errors: kCorrupt if their table is damaged; kLimitExceeded.
  Result<std::vector<RepositoryFile>> Files() const;

  // Passes the content of a file of the repository to `piece`, in order. The
  // file is decoded twice: it is hashed before the first call of `piece`.
  //
  // Errors: kNotFound; kCorrupt if the file cannot be decoded or does not have
  // its hash.
  Status StreamFile(
      std::string_view name,
      const std::function<Result<Visit>(std::span<const uint8_t>)>& piece)
      const;

  // The parts of the file. Reads every block and checks its checksum, but
  // decodes no object. Ends with kInterrupted after `stop` was requested.
  //
  // Errors: kCorrupt if the index or a block is damaged; kInterrupted.
  Result<FileDescription> Describe(std::stop_token stop = {}) const;

 private:
  struct State;
  explicit ArchiveReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Reads the refs of the file at `path`. Only the beginning of the file is read.
// Errors: as for ArchiveReader::Open.
Result<RefsSnapshot> ReadRefs(const std::string& path,
                              const ReadOptions& options);

// Files that depend on another one.
struct DependentFiles {
  std::vector<std::string> paths;  // sorted by name
  // Why it cannot be told of further files: one error for each, which names it.
  std::vector<Error> unclear;
};

// The files in `directory` that depend on the file at `path`
// (ConvertOptions::onto), but not those that do so through others. If the file
// at `path` is damaged, those that state its name.
//
// Errors: kNotFound and kIo if it cannot be opened, or if the directory cannot
// be listed.
Result<DependentFiles> ListDependents(const std::string& path,
                                      const std::string& directory,
                                      const ReadOptions& options);

// kExists if the file at `path` is one on which others in its directory depend,
// which could not be read if another file took its place, or if that cannot be
// told because one of them cannot be read. Nothing is an error if there is no
// file.
Status CheckReplaceable(const std::string& path);

// The paths of the files that the file at `path` depends on, the first one
// first, then `path`.
//
// Errors: as for ArchiveReader::Open.
Result<std::vector<std::string>> ListChain(const std::string& path,
                                           const ReadOptions& options);

}  // namespace zpack
