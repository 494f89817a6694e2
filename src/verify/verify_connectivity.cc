// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// In most files no object links to a missing object, and then the file is
// connected. Otherwise the check determines whether refs reach such a link.
//
// Reading objects in the order of a history walk would decode blocks many
// times. Instead the check reads blocks in the order of the file and follows
// links within a block as far as possible. Links into other blocks are followed
// when these blocks are read, in the same pass or in the next one. Writers
// store commits before their trees and directories before their entries, so one
// pass does most of the work.

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/progress_phase.h"
#include "format/expansion.h"
#include "object/object_links.h"
#include "reader/object_run.h"
#include "verify/all_links.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

class ConnectivityCheck {
 public:
  ConnectivityCheck(const ArchiveFile& archive, const RunOptions& run,
                    const ProgressPhase& phase, VerifyReport& report)
      : archive_(archive),
        run_(run),
        phase_(phase),
        report_(report),
        shallow_(archive.refs().shallow.begin(), archive.refs().shallow.end()),
        noted_(archive.ids().size()),
        followed_(archive.ids().size()),
        pending_(archive.blocks().block_count()) {}

  Status Run() {
    const RefsSnapshot& refs = archive_.refs();
    if (!refs.head_target.empty()) {
      Need(refs.head_target, std::nullopt, "HEAD");
    }
    for (const Ref& ref : refs.refs) {
      if (ref.symbolic()) continue;
      Need(ref.target, std::nullopt, FormatMessage("ref '{}'", ref.name));
    }
    // The targets of the refs exist. If no object links to a missing object,
    // everything that refs reach exists as well.
    ZPACK_ASSIGN_OR_RETURN(const bool closed,
                           NamesOnlyItself(archive_, run_.stop));
    if (closed) {
      phase_.Advance(archive_.object_count() - noted_count_, 0);
      return {};
    }
    bool more = true;
    while (more) {
      more = false;
      for (size_t block = 0; block < pending_.size(); ++block) {
        if (pending_[block].empty()) continue;
        ZPACK_TRY(CheckStop(run_.stop));
        ZPACK_TRY(FollowBlock(block));
        more = true;
      }
    }
    return {};
  }

 private:
  // An object to follow, with the type that the link states. As in Git, the
  // links of an object of another type are not followed.
  struct Pending {
    ObjectNumber number;
    std::optional<ObjectType> type;  // empty: any type
  };

  // Records that `by` needs `id`, an object of `type`.
  void Need(const ObjectId& id, std::optional<ObjectType> type,
            const std::string& by) {
    const std::optional<FileRank> rank = archive_.ids().Find(id);
    if (!rank) {
      // Git knows the empty tree without storing it.
      if (id == archive_.empty_tree_id() || archive_.promises().Has(id) ||
          (archive_.lost() && archive_.lost()->Has(id)) ||
          !missing_.insert(id).second) {
        return;
      }
      report_.damages.push_back(NewError(ErrorCode::kCorrupt,
                                         "object {} is missing, needed by {}",
                                         id, MessageText{by}));
      return;
    }
    const ObjectNumber number = archive_.number(*rank);
    uint8_t& noted = noted_[number];
    const auto bit =
        static_cast<uint8_t>(1U << (type ? static_cast<unsigned>(*type) : 0U));
    if (noted == 0) {
      ++noted_count_;
      phase_.Advance(1, 0);
    }
    if ((noted & bit) != 0) return;
    noted |= bit;
    // A blob has no links.
    if (type == ObjectType::kBlob) return;
    pending_[archive_.blocks().FindBlock(number)].push_back({number, type});
  }

  Status FollowBlock(size_t block) {
    format::BlockHeader header;
    {
      ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                             decoder_.Load(archive_.blocks(), block));
      header = view.header;
    }
    const ObjectType type = header.type;
    if (type == ObjectType::kBlob) {
      pending_[block].clear();
      return {};
    }
    ZPACK_ASSIGN_OR_RETURN(const DecodedBlock decoded,
                           decoder_.Decode(archive_.blocks(), block));
    ZPACK_TRY(CountWork(archive_.blocks().expansion().Of(block).decoded +
                        decoded.contents().size()));
    Bytes large;  // an object in segments
    const BlockRun run = RunAt(archive_.blocks(), block);
    const bool segmented = IsSegmented(run, decoded);
    if (segmented) {
      ZPACK_ASSIGN_OR_RETURN(
          large, ReadSegments(archive_.blocks(), run, decoded, decoder_));
      ZPACK_TRY(CountWork(large.size()));
    }
    if (decoded.layout() != nullptr) return FollowDeltas(block, decoded);
    // Following links may append to the list.
    while (!pending_[block].empty()) {
      ZPACK_TRY(CheckStop(run_.stop));
      const Pending next = pending_[block].back();
      pending_[block].pop_back();
      if (!Take(next, type)) continue;
      const uint32_t index = next.number - header.first_object;
      Follow(archive_.ids()[archive_.rank(next.number)], type,
             segmented ? ByteView(large) : decoded.Whole(index));
    }
    return {};
  }

  // Counts `bytes` that were decoded. Returns kLimitExceeded if blocks have
  // been decoded so often that the order of the objects must be hostile.
  Status CountWork(uint64_t bytes) {
    work_ += bytes;
    const format::Expansion& limit = archive_.blocks().expansion().limit();
    if (work_ / format::kMaxDecodings <= std::max(limit.content, limit.decoded))
      return {};
    return MakeError(ErrorCode::kLimitExceeded,
                     "more than {} bytes had to be decoded to follow the links "
                     "of '{}'",
                     work_, AtPath{archive_.path()});
  }

  // Returns true if the links of `pending`, which has type `type`, are to be
  // followed.
  bool Take(const Pending& pending, ObjectType type) {
    if (followed_[pending.number] || (pending.type && *pending.type != type)) {
      return false;
    }
    followed_[pending.number] = true;
    return true;
  }

  // Trees are rebuilt from other trees of the block, so each pass rebuilds all
  // of them in order. Passes are repeated until no tree is left to follow.
  Status FollowDeltas(size_t block, const DecodedBlock& decoded) {
    const ObjectNumber first = decoded.objects.header.first_object;
    while (!pending_[block].empty()) {
      std::vector<bool> wanted(decoded.objects.sizes.size());
      for (const Pending& pending : std::exchange(pending_[block], {})) {
        if (Take(pending, ObjectType::kTree)) {
          wanted[pending.number - first] = true;
        }
      }
      ZPACK_TRY(CountWork(decoded.layout()->content));
      std::vector<Pending> behind;  // for the next pass
      const Status visited = decoded.ForEachObject(
          {}, archive_.blocks().max_kept(),
          [&](size_t index, ByteView content) -> Status {
            ZPACK_TRY(CheckStop(run_.stop));
            if (!wanted[index]) return {};
            const auto number = first + static_cast<uint32_t>(index);
            Follow(archive_.ids()[archive_.rank(number)], ObjectType::kTree,
                   content);
            for (const Pending& found : std::exchange(pending_[block], {})) {
              if (found.number <= number) {
                behind.push_back(found);
              } else if (Take(found, ObjectType::kTree)) {
                wanted[found.number - first] = true;
              }
            }
            return {};
          },
          nullptr, &decoder_.far_budget(archive_.blocks()));
      ZPACK_TRY(visited);
      pending_[block] = std::move(behind);
    }
    return {};
  }

  void Follow(const ObjectId& id, ObjectType type, ByteView content) {
    const ObjectFormat format = archive_.header().object_format;
    const std::string by = std::string(ObjectTypeName(type)) + ' ' + id.ToHex();
    if (type == ObjectType::kCommit) {
      const CommitLinks links = ParseCommitLinks(content, format);
      if (!links.tree.empty()) Need(links.tree, ObjectType::kTree, by);
      if (shallow_.contains(id)) return;
      for (const ObjectId& parent : links.parents)
        Need(parent, ObjectType::kCommit, by);
    } else if (type == ObjectType::kTag) {
      const ObjectId target = ParseTagTarget(content, format);
      if (!target.empty()) Need(target, std::nullopt, by);
    } else if (type == ObjectType::kTree) {
      TreeIterator entries(content, format);
      TreeEntry entry;
      while (entries.Next(entry)) {
        if (entry.is_gitlink()) continue;
        Need(ObjectId(entry.id),
             entry.is_tree() ? ObjectType::kTree : ObjectType::kBlob, by);
      }
    }
  }

  const ArchiveFile& archive_;
  const RunOptions& run_;
  const ProgressPhase& phase_;
  VerifyReport& report_;
  std::set<ObjectId> shallow_;
  std::set<ObjectId> missing_;
  // By object number: the types as which the object was needed, one bit per
  // type, where the lowest bit means any type; and whether its links were
  // followed.
  IndexedVector<ObjectNumber, uint8_t> noted_;
  IndexedVector<ObjectNumber, bool> followed_;
  // Objects whose links are still to be followed, by block.
  std::vector<std::vector<Pending>> pending_;
  BlockDecoder decoder_;
  uint64_t noted_count_ = 0;
  uint64_t work_ = 0;  // bytes decoded
};

}  // namespace

Status VerifyConnectivity(const ArchiveFile& archive, const RunOptions& run,
                          VerifyReport& report) {
  const ProgressPhase phase(run.progress, Phase::kCheckingConnectivity,
                            archive.ids().size(), 0);
  return ConnectivityCheck(archive, run, phase, report).Run();
}

}  // namespace zpack
