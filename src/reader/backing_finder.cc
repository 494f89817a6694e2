// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/backing_finder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/directory.h"
#include "base/error.h"
#include "base/hex.h"
#include "format/constants.h"
#include "reader/joined_index.h"
#include "reader/repository_file_reader.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".zpack";

// Files of a directory that are looked at.
constexpr size_t kMaxListed = 10'000;
// Files that are opened to find the files below one file.
constexpr size_t kMaxOpened = 4 * kMaxChain;

// The .zpack files of a directory, by name.
Result<std::vector<std::string>> ListZpackFiles(const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(const auto entries, ListEntries(directory));
  std::vector<std::string> files;
  for (const DirectoryEntry& entry : entries) {
    if (!entry.name.ends_with(kEnding)) continue;
    files.push_back(directory + '/' + entry.name);
  }
  return files;
}

// True if the trailer states this hash of the file. kIo.
Result<bool> StatesHash(const RandomAccessFile& file,
                        const format::Digest& hash) {
  if (file.size() < format::kTrailerSize) return false;
  Bytes bytes(format::kTrailerSize);
  ZPACK_TRY(file.Read(file.size() - bytes.size(), bytes));
  const auto trailer = format::DecodeTrailer(bytes);
  return trailer && trailer->file_hash == hash;
}

// Some of them; none if the directory cannot be listed.
std::vector<std::string> ListSomeFiles(const std::string& directory) {
  std::vector<std::string> files =
      ListZpackFiles(directory).value_or(std::vector<std::string>());
  files.resize(std::min(files.size(), kMaxListed));
  return files;
}

// Where the files below are looked for.
class ChainSearch {
 public:
  ChainSearch(const ReadOptions& options, const FileMender& mend)
      : options_(options), mend_(mend), named_(options.backing) {
    const char* const paths = getenv("ZPACK_BACKING");
    std::istringstream in(paths == nullptr ? "" : paths);
    for (std::string path; std::getline(in, path, ':');) {
      if (!path.empty()) named_.push_back(path);
    }
  }

  using Chain = OpenFiles;

  // The chain that ends with `top`.
  Result<Chain> Open(std::unique_ptr<SingleFile> top) {
    Chain chain;  // `top` first
    chain.push_back(std::move(top));
    while (chain.back()->below() != nullptr) {
      ZPACK_TRY(CheckLength(chain));
      open_.push_back(chain.back()->trailer().file_hash);
      ZPACK_ASSIGN_OR_RETURN(Chain below, FindBelow(*chain.back()));
      std::ranges::move(below, std::back_inserter(chain));
    }
    ZPACK_TRY(CheckLength(chain));
    std::ranges::reverse(chain);
    return chain;
  }

 private:
  static Status CheckLength(const Chain& chain) {
    const auto is_again = [&](const auto& file) {
      return file != chain.back() &&
             file->trailer().file_hash == chain.back()->trailer().file_hash;
    };
    if (std::ranges::any_of(chain, is_again)) {
      return MakeError(ErrorCode::kCorrupt, "'{}' depends on itself",
                       AtPath{chain.back()->path()});
    }
    const size_t further = chain.back()->below() == nullptr ? 0 : 1;
    return CheckChainLength(chain.size() + further, chain.front()->path());
  }

  // The file below `file`; if it took its whole chain to tell that it is the
  // right one, all of these files, the last one first.
  Result<Chain> FindBelow(const SingleFile& file) {
    if (++searches_ > kMaxOpened) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "too many files may be below '{}'", AtPath{file.path()});
    }
    const format::FileBelow& below = *file.below();
    std::vector<std::unique_ptr<RandomAccessFile>> others;
    std::optional<Error> unusable;
    auto beside = Mended(file.file().OpenBeside(below.name));
    if (beside) {
      ZPACK_ASSIGN_OR_RETURN(const bool fits,
                             StatesHash(**beside, below.file_hash));
      if (fits) return OpenOne(*std::move(beside), file);
      others.push_back(*std::move(beside));
    } else if (beside.error().code != ErrorCode::kNotFound) {
      // It may be read later, unless it is a directory or a loop of links.
      std::error_code error;
      const std::string path = DirectoryOf(file.path()) + '/' + below.name;
      if (file.file().is_far_away() || fs::is_regular_file(path, error)) {
        return std::unexpected(beside.error());
      }
      unusable = beside.error();
    }
    for (const Place& place : Places(file)) {
      auto opened =
          Mended(place.beside ? file.file().OpenBeside(place.path)
                              : PosixFileSystem().OpenForRead(place.path));
      if (!opened) continue;
      if (StatesHash(**opened, below.file_hash).value_or(false)) {
        return OpenOne(*std::move(opened), file);
      }
      others.push_back(*std::move(opened));
      if (others.size() > kMaxOpened) others.pop_back();
    }
    // It may have been protected, or written again, since.
    for (auto& other : others) {
      const std::string path = other->path();
      Result<Chain> chain = OpenEquivalent(std::move(other), file);
      if (chain && !chain->empty()) return chain;
      if (!chain && !unusable && FileNameOf(path) == below.name) {
        unusable = std::move(chain).error();
      }
    }
    if (unusable && unusable->code == ErrorCode::kCorrupt) {
      return std::unexpected(Damaged(file, *std::move(unusable)));
    }
    return std::unexpected(NotFound(file, unusable));
  }

  Result<std::unique_ptr<RandomAccessFile>> Mended(
      Result<std::unique_ptr<RandomAccessFile>> opened) const {
    if (!opened) return opened;
    if (mend_) return mend_(*std::move(opened));
    return WithStatedSize(*std::move(opened), options_);
  }

  struct Place {
    std::string path;
    bool beside = false;  // `path` is relative to the directory of the file
  };

  // The places at which the file below may be, besides that of its name.
  std::vector<Place> Places(const SingleFile& file) const {
    std::vector<Place> places;
    const std::string directory = DirectoryOf(file.path());
    for (const std::string& path : ListSomeFiles(directory)) {
      places.push_back({FileNameOf(path), true});
    }
    if (const std::string linked = LinkedDirectory(file.path());
        !linked.empty()) {
      std::error_code error;
      const fs::path way = fs::relative(linked, directory, error);
      places.push_back({way / file.below()->name, true});
      for (const std::string& path : ListSomeFiles(linked)) {
        places.push_back({way / FileNameOf(path), true});
      }
    }
    for (const std::string& named : named_) {
      std::error_code error;
      if (!fs::is_directory(named, error)) {
        places.push_back({named});
        continue;
      }
      places.push_back({named + '/' + file.below()->name});
      for (std::string& path : ListSomeFiles(named)) {
        places.push_back({std::move(path)});
      }
    }
    return places;
  }

  Result<Chain> OpenOne(std::unique_ptr<RandomAccessFile> file,
                        const SingleFile& above) const {
    ZPACK_ASSIGN_OR_RETURN(auto single,
                           SingleFile::Open(std::move(file), options_));
    const format::FileBelow& below = *above.below();
    if (single->object_end() != below.object_count ||
        single->header().object_format != above.header().object_format) {
      return MakeError(ErrorCode::kCorrupt,
                       "'{}' has {} objects of the format {}, where '{}' needs "
                       "{} of {}",
                       AtPath{single->path()}, single->object_end(),
                       ObjectFormatName(single->header().object_format),
                       above.path(), below.object_count,
                       ObjectFormatName(above.header().object_format));
    }
    Chain chain;
    chain.push_back(std::move(single));
    return chain;
  }

  // The chain that ends with `file`, its last file first, if it has the ids,
  // the refs and the files that `above` needs. Empty if it has others.
  Result<Chain> OpenEquivalent(std::unique_ptr<RandomAccessFile> file,
                               const SingleFile& above) {
    const format::FileBelow& below = *above.below();
    ZPACK_ASSIGN_OR_RETURN(auto single,
                           SingleFile::Open(std::move(file), options_));
    const bool is_open =
        std::ranges::find(open_, single->trailer().file_hash) != open_.end();
    if (is_open || single->object_end() != below.object_count ||
        single->header().object_format != above.header().object_format) {
      return Chain{};
    }
    const size_t opened_before = open_.size();
    Result<Chain> opened = Open(std::move(single));
    open_.resize(opened_before);
    ZPACK_ASSIGN_OR_RETURN(Chain chain, std::move(opened));
    const auto refs = RefsOf(chain);
    if (!refs || !LeadTo(*above.structure().backed, *refs)) return Chain{};
    ZPACK_ASSIGN_OR_RETURN(const bool fit, IndexAndTablesFit(chain, above));
    if (!fit) return Chain{};
    std::ranges::reverse(chain);
    return chain;
  }

  // True if `chain` has the ids and the files that `above` needs. The refs have
  // been compared. If damage hides the rest, the name counts for callers that
  // mend files: they prove each object and file themselves.
  Result<bool> IndexAndTablesFit(const Chain& chain,
                                 const SingleFile& above) const {
    const format::FileBelow& below = *above.below();
    const auto digest = JoinedIdsDigest(chain, options_);
    if (digest && *digest != below.ids_digest) return false;
    if (mend_ && FileNameOf(chain.back()->path()) == below.name &&
        (digest || digest.error().code == ErrorCode::kCorrupt)) {
      return true;
    }
    if (!digest) return std::unexpected(digest.error());
    return TablesFit(chain, above);
  }

  // True if the changes of a file belong to these refs below.
  static bool LeadTo(const format::BackedRefs& changes, RefsSnapshot refs) {
    return format::Apply(changes, refs) && format::CheckApplied(changes, refs);
  }

  // The `damage` is that of the file with the name of the one below.
  static Error Damaged(const SingleFile& file, Error damage) {
    const format::FileBelow& below = *file.below();
    damage.message = FormatMessage(
        "'{}' depends on '{}' (file hash {}), which is damaged: {}",
        AtPath{file.path()}, below.name, ToHex(below.file_hash),
        MessageText{damage.message});
    return damage;
  }

  Error NotFound(const SingleFile& file,
                 const std::optional<Error>& unusable) const {
    const format::FileBelow& below = *file.below();
    std::string places = FormatMessage("'{}'", DirectoryOf(file.path()));
    if (const std::string linked = LinkedDirectory(file.path());
        !linked.empty()) {
      places += FormatMessage(", '{}'", linked);
    }
    for (const std::string& named : named_) {
      places += FormatMessage(", '{}'", named);
    }
    return NewError(
        ErrorCode::kNotFound,
        "'{}' depends on '{}' (file hash {}), which is not in {}{}",
        AtPath{file.path()}, below.name, ToHex(below.file_hash),
        MessageText{places},
        MessageText{unusable ? ": " + unusable->message : std::string()});
  }

  const ReadOptions& options_;
  const FileMender& mend_;
  std::vector<std::string> named_;  // files and directories to look in
  size_t searches_ = 0;
  // The hashes of the files below which a file is being looked for.
  std::vector<format::Digest> open_;
};

}  // namespace

std::string LinkedDirectory(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return {};
  const fs::path target = fs::canonical(path, error);
  return error ? std::string() : target.parent_path().string();
}

Status CheckChainLength(size_t files, const std::string& path) {
  if (files <= kMaxChain) return {};
  return MakeError(ErrorCode::kLimitExceeded,
                   "'{}' depends on more than {} other files; join some of "
                   "them with 'git zpack consolidate'",
                   AtPath{path}, kMaxChain - 1);
}

Result<OpenFiles> OpenChain(std::unique_ptr<SingleFile> top,
                            const ReadOptions& options,
                            const FileMender& mend) {
  return ChainSearch(options, mend).Open(std::move(top));
}

}  // namespace zpack
