// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of every operation, with the reason to change a default. Plain
// values; thread-compatible.
//
// The operations keep no state between calls. Two things concern the whole
// process while an operation runs:
// - libgit2's options. Convert, Repack, Verify with a repository, and
//   CollectReport of a repository initialize libgit2 and never shut it down.
//   Until the last of such calls returns, libgit2 does not check hashes of
//   objects that it reads, has no object cache, and does not check the owner of
//   a repository (this library does); windows, open pack files and extensions
//   are limited as this library needs it. Then the options have their old
//   values again. libgit2 cannot report the old values of the hash check and of
//   the object cache, so both are switched on, which is libgit2's default.
// - The umask. If /proc cannot be read, every function that writes a file or a
//   repository changes the umask for a moment in order to read it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "zpack/progress.h"
#include "zpack/repository_files.h"
#include "zpack/result.h"

namespace zpack {

enum class Overwrite : uint8_t { kNo, kYes };
// What becomes of the files in the directory of a file that is replaced, if
// they depend on it and could not be read with the new one in its place:
// - kKeep: the file is not replaced (kExists).
// - kLose: the file is replaced, and they are useless.
enum class Dependents : uint8_t { kKeep, kLose };
enum class SizeOfFile : uint8_t { kActual, kStated };
enum class ObjectSet : uint8_t { kAll, kReachable };
enum class ReadBack : uint8_t { kNo, kYes };
enum class ReadSource : uint8_t { kNo, kYes };
enum class Resume : uint8_t { kNo, kYes };
enum class TrustBase : uint8_t { kNo, kYes };
enum class Update : uint8_t { kNo, kYes };
enum class IfUnchanged : uint8_t { kWrite, kSkip };
enum class Publication : uint8_t { kNo, kYes };
enum class AllowPromised : uint8_t { kNo, kYes };
enum class KeepGoing : uint8_t { kNo, kYes };
enum class AllowNewer : uint8_t { kNo, kYes };
enum class AllowLoss : uint8_t { kNo, kYes };
enum class Trust : uint8_t { kNo, kYes };
enum class Download : uint8_t { kNo, kYes };
enum class IndexCache : uint8_t { kNo, kYes };
// How a repository stores refs and reflogs: as files, or as reftables, which
// Git reads from version 2.45 on.
enum class RefStorage : uint8_t { kFiles, kReftable };

// Where a repository is looked for.
// - kNone: the path itself is the repository. The path is a git directory, a
//   directory with a '.git' that is a git directory or a file that names one,
//   or such a file '.git'.
// - kUpwards: if the path itself is not a repository, the nearest directory
//   above the path that is a repository is used. The search ends where Git's
//   search ends (GIT_CEILING_DIRECTORIES, GIT_DISCOVERY_ACROSS_FILESYSTEM).
enum class Discovery : uint8_t { kNone, kUpwards };

// How much work Convert does for a smaller file. tools/guides/archive.md says
// what each profile costs and saves.
enum class Profile : uint8_t {
  kFast,      // few delta candidates per blob, low zstd level
  kBalanced,  // the default
  kMax,       // many delta candidates, larger blocks, high zstd level; blocks
              // continue the text of those before them, so that reading one
              // object may decode 64 MiB more
  kCold,      // as small as can be: as kMax, and the ids of objects are left
              // out (ReadOptions::derivation)
};

// Options of every long-running operation.
struct RunOptions {
  // Number of worker threads; more than kMaxThreads are not used. 0 means one
  // for each processor of this process. The number never changes the bytes that
  // are written.
  unsigned threads = 0;
  // Tables with an entry for each thread must fit in memory.
  static constexpr unsigned kMaxThreads = 1024;
  // Bytes of memory that the process should use, plus about 100 bytes for each
  // object. The default is a quarter of the memory of the machine, or of the
  // control group if that has less. Too little memory for `threads` threads
  // means fewer threads. For Convert and Repack, a small value that is given
  // also changes the bytes that are written (the default does not): Convert
  // uses smaller working sets below kPlentyOfMemory, Repack smaller windows
  // below 1 GiB.
  std::optional<uint64_t> memory;
  static constexpr uint64_t kPlentyOfMemory = uint64_t{512} << 20;
  // Receives progress; may be null. Must outlive the operation.
  ProgressSink* progress = nullptr;
  // After a stop is requested, the operation returns kInterrupted as soon as
  // the work in progress allows. The library installs no signal handlers. To
  // stop on a signal, block the signal before the first call, wait for it in a
  // thread (sigwait), and request the stop there, as
  // tools/examples/verify_with_progress.cc does.
  std::stop_token stop;
};

// Receives damage of the structure of a file that does not keep the file from
// being opened, because the file has a copy of the damaged part (FORMAT.md,
// "Copies"), or because only checks need the part.
class DamageSink {
 public:
  virtual ~DamageSink() = default;

  // Called while a file is opened, in the thread that opens it. The error names
  // the file and the offset.
  virtual void OnDamage(const Error& damage) = 0;
};

// Limits on the memory that a file may make a reader allocate. If a file needs
// more than a limit, the reader returns kLimitExceeded, and does so before it
// allocates that much.
struct ReadOptions {
  // Maximum bytes of one block, raw or stored. Half of this value limits one
  // object in a block of deltas or trees, and the content that is kept while
  // such a block is decoded; a quarter limits one segment, and the content of a
  // block of commits. Files of this library's own writer need no more than the
  // default. If RunOptions::memory is set, Verify and Restore use the limit
  // min(max_block_size, max(memory / 2, 128 MiB)).
  static constexpr uint64_t kMaxBlockSize = uint64_t{256} << 20;
  uint64_t max_block_size = kMaxBlockSize;
  // Maximum bytes of an object that is returned in one buffer. Larger objects
  // can still be streamed, verified and restored.
  uint64_t max_object_size = uint64_t{4} << 30;
  // Maximum bytes of one chunk of metadata (refs, object index, tables).
  uint64_t max_chunk_size = uint64_t{16} << 30;
  // Maximum bytes of decoded blocks that are kept for later reads. Also decides
  // which objects Stream hashes before the first piece, and which objects
  // ReadAhead holds.
  uint64_t cache_size = uint64_t{256} << 20;
  // False: ArchiveReader::Read and Stream do not hash objects, for callers that
  // do it themselves. Checksums of blocks are still checked.
  bool hash_objects = true;
  // Told of damage that does not keep a file from being opened. May be null.
  // Must outlive the opening of the file. Verify has VerifyReport::damages
  // instead.
  DamageSink* damages = nullptr;

  // kStated reads a file that was cut, or that something was appended to, as if
  // it had the size that its header states, if that is near. For Salvage,
  // which sets it.
  SizeOfFile size = SizeOfFile::kActual;

  // Some files leave out the ids of their objects (`--profile cold`). The first
  // call that needs one then decodes and hashes every object. This says with
  // which threads, memory and progress, and how to stop it. Operations that
  // have RunOptions of their own use those.
  RunOptions derivation;
  // Files and directories in which the files that a file depends on
  // (ConvertOptions::onto) are looked for, if they are not beside it; then in
  // those of the environment variable ZPACK_BACKING, separated by colons.
  std::vector<std::string> backing = {};
  // kYes keeps these ids in the cache directory (max_disk_cache), and takes
  // them from there. Verify never takes them from there.
  IndexCache index_cache = IndexCache::kYes;

  // The options below concern files that are named by a URL, 'http://' or
  // 'https://'. ArchiveReader::Open, ReadRefs, Verify, Restore, Salvage,
  // CollectStatistics and CollectReport take a URL in the place of a path, and
  // so does ScrubOptions::since; UploadPack does so with
  // UploadPackOptions::urls.

  // kYes downloads a file as a whole, to a temporary file in $TMPDIR or /tmp,
  // if the server cannot send parts of the file.
  Download download = Download::kNo;
  // Maximum bytes of the cache of all such files and of ids, in
  // $XDG_CACHE_HOME/git-zpack or ~/.cache/git-zpack. 0 for no cache on disk.
  // The library creates the directory.
  uint64_t max_disk_cache = uint64_t{2} << 30;
};

struct ConvertOptions {
  RunOptions run;
  Discovery discovery = Discovery::kNone;
  Profile profile = Profile::kBalanced;
  // zstd level, 1 to 22. The default is the level of the profile.
  std::optional<int> level;
  // Bytes of data in a block of blobs before compression. The default is the
  // size of the profile. Larger blocks make a smaller file, but reading one
  // blob decodes one block: up to this many bytes plus the blob itself. Blocks
  // of commits have the same size, blocks of trees a quarter of it. Objects
  // larger than 8 times this size are split over several blocks.
  std::optional<uint64_t> block_size;
  static constexpr uint64_t kMinBlockSize = uint64_t{4} << 10;
  static constexpr uint64_t kMaxBlockSize = uint64_t{16} << 20;
  // kReachable keeps only the objects that refs, HEADs and reflogs reach.
  ObjectSet objects = ObjectSet::kAll;
  // kYes converts a partial clone that lacks objects which its promisor remotes
  // have. The file then has a list of these objects, with the names and URLs of
  // the remotes. Readers older than this option refuse such a file.
  AllowPromised promised = AllowPromised::kNo;
  // kYes converts a repository that has lost objects: those that refs or HEAD
  // need and that are missing, and those that cannot be read or do not hash to
  // their ids. First, every object of the repository is read and hashed. The
  // new file holds what is left, and lists what is lost
  // (ConvertStats::lost_objects); older readers ignore this list. Promised
  // objects are not lost, so a partial clone also needs AllowPromised::kYes.
  // With Update::kYes, a destination that has one of the lost objects is only
  // replaced with Overwrite::kYes.
  KeepGoing keep_going = KeepGoing::kNo;
  // Path of an older file of the same repository. The new file takes over the
  // blocks of the older file, so only the objects that the older file lacks are
  // encoded. The blocks keep the profile that they were written with. If the
  // older file has objects that the new file must not have, every object is
  // encoded (ConvertStats::base_unused says why).
  std::optional<std::string> base;
  // Path of a file on which the new file depends: the new file holds the
  // objects that this one lacks, and cannot be read without it. The two can be
  // of different repositories. The older file is not verified. Readers older
  // than this option refuse the new file. `base` and Update::kYes must not be
  // set, nor Resume::kYes.
  std::optional<std::string> onto = {};
  // kSkip writes nothing if the new file would have the same refs, HEAD,
  // shallow boundaries, objects, promised and lost objects and files of the
  // repository as `onto` (ConvertStats::update).
  IfUnchanged if_unchanged = IfUnchanged::kWrite;
  // Where the files that the older file depends on are looked for, as
  // ReadOptions::backing.
  std::vector<std::string> backing = {};
  // kYes does not hash the objects in blocks that are copied from `base`. Only
  // the checksums of these blocks are checked, and anybody who changes a file
  // can make the checksums right again.
  TrustBase trust_base = TrustBase::kNo;
  // kYes brings an existing destination up to date, and creates the destination
  // if it does not exist. An existing destination serves as `base` and is
  // replaced, atomically. If the new file would have the same refs, HEAD,
  // shallow boundaries, objects, promised and lost objects and files of the
  // repository,
  // the destination is not touched. It is checked all the same: as
  // VerifyLevel::kObjects says, or as kChecksums says with ReadBack::kNo or
  // TrustBase::kYes. ConvertStats::update says what happened. `base` must not
  // be set.
  Update update = Update::kNo;
  // kNo writes nothing and returns kExists if the new file would lack something
  // that the older file has, which is `base` or, with Update::kYes, the
  // destination (ConvertStats::Lost).
  AllowLoss loss = AllowLoss::kYes;
  // kYes replaces an existing destination, atomically. The destination may be
  // `base`. With Update::kYes, an existing destination is replaced in any case,
  // but only kYes replaces the file of another repository: both files have
  // commits, and none in common.
  Overwrite overwrite = Overwrite::kNo;
  // Also with Update::kYes.
  Dependents dependents = Dependents::kKeep;
  // kYes continues an earlier conversion to the same path that did not finish.
  // A block of the earlier conversion is used if the block is undamaged and
  // this conversion would write the same block.
  Resume resume = Resume::kNo;
  // Files of the repository that the new file does not hold.
  std::vector<FileGroup> without_files = {};
  // Paths of files and directories below the git directory that the new file
  // holds in FileGroup::kOther. A path has only components that are names, and
  // does not belong to Git's own storage or to another group.
  std::vector<std::string> with_files = {};
  // kNo does not decode and hash the objects of the finished file. The set of
  // ids and the refs are compared with the source in any case.
  ReadBack read_back = ReadBack::kYes;
  // kYes reads every object of the new file from the repository and hashes it.
  // Otherwise, objects that `base` or an unchanged destination holds are only
  // listed, so damage of their copies in the repository is not found.
  ReadSource read_source = ReadSource::kNo;
  // kNo removes the finished file instead of renaming it. Everything else
  // happens as with kYes, so errors and statistics are the same. An existing
  // destination, and what an interrupted conversion left, stay as they are.
  // Must not be combined with Resume::kYes.
  Publication publication = Publication::kYes;
};

// How much Verify checks. Each level includes the levels before it.
enum class VerifyLevel : uint8_t {
  kStructure,  // header, table of contents, refs, tables and index fit together
  kChecksums,  // every chunk's checksum, the content digest, the file hash
  kObjects,    // every object decodes and hashes to its id
  // Every object that refs and HEAD need is in the file, up to the shallow
  // boundaries, to promised objects, and to objects that the file lists as
  // lost.
  kConnectivity,
};

struct VerifyOptions {
  RunOptions run;
  ReadOptions read;
  Discovery discovery = Discovery::kNone;
  VerifyLevel level = VerifyLevel::kObjects;
  // kYes accepts a repository that is newer than the file. The repository may
  // have more objects, more refs, other files and other shallow boundaries.
  // HEAD and a ref may differ from the file if the repository still has the
  // object that the file names there.
  AllowNewer allow_newer = AllowNewer::kNo;
  // kYes reads every object that the file has from the repository, too, and
  // hashes it. Otherwise, contents of objects in the repository are not read.
  ReadSource read_source = ReadSource::kNo;
};

struct RestoreOptions {
  RunOptions run;
  ReadOptions read;
  // kYes replaces an existing bare repository. The configuration, hooks and
  // reflogs of the old repository are lost. Anything that is not a bare
  // repository is never replaced.
  Overwrite overwrite = Overwrite::kNo;
  // Files that are not restored.
  std::vector<FileGroup> without_files = {};
  // Hooks are programs, settings and other files can name programs, and the
  // .zpack file may be anybody's. kNo restores hooks, config and other files
  // with '.archived' at the end of their names, so that Git does not use them.
  // kYes restores them in their places, and adds the settings to the new
  // repository's own.
  Trust trust = Trust::kNo;
  // With kReftable, the lines of reflogs become entries of a table. As in Git,
  // messages are cut off after 2,048 bytes. kUnsupported is returned for a line
  // that cannot be such an entry.
  RefStorage ref_storage = RefStorage::kFiles;
};

}  // namespace zpack
