// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/compare_repository.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/surviving_source.h"
#include "reader/block_decoder.h"
#include "verify/compare_files.h"
#include "verify/same_repository.h"
#include "verify/verify_source.h"

namespace zpack {
namespace {

using Kind = Difference::Kind;

std::string Describe(const Ref& ref) {
  if (ref.symbolic()) {
    return FormatMessage("symbolic ref to '{}'", ref.symref_target);
  }
  std::string text = ref.target.ToHex();
  if (!ref.peeled.empty()) text += " (peeled " + ref.peeled.ToHex() + ")";
  return text;
}

std::string DescribeHead(const RefsSnapshot& refs) {
  return refs.head_symref.empty()
             ? "detached at " + refs.head_target.ToHex()
             : FormatMessage("symbolic ref to '{}'", refs.head_symref);
}

std::string Describe(const ObjectInfo& info) {
  return FormatMessage("{} of {} bytes", ObjectTypeName(info.type), info.size);
}

void CompareOneRef(const Ref* in_file, const Ref* in_source,
                   std::vector<Difference>& out) {
  if (in_file == nullptr) {
    out.push_back(
        {Kind::kMissing, in_source->name,
         FormatMessage("ref '{}' is missing, it should be {}", in_source->name,
                       MessageText{Describe(*in_source)})});
  } else if (in_source == nullptr) {
    out.push_back(
        {Kind::kExtra, in_file->name,
         FormatMessage("ref '{}' is not in the repository", in_file->name)});
  } else if (*in_file != *in_source) {
    out.push_back({Kind::kDifferent, in_file->name,
                   FormatMessage("ref '{}' is {}, it should be {}",
                                 in_file->name, MessageText{Describe(*in_file)},
                                 MessageText{Describe(*in_source)})});
  }
}

// Types and sizes of the objects in the file. Empty for objects in blocks that
// cannot be decoded; other checks report these blocks.
using InfosInFile = IndexedVector<ObjectNumber, std::optional<ObjectInfo>>;

Result<InfosInFile> ReadInfosInFile(const ArchiveFile& archive) {
  InfosInFile infos(archive.ids().size());
  BlockDecoder decoder;
  for (size_t block = 0; block < archive.blocks().block_count(); ++block) {
    if (archive.blocks().continues_previous(block)) continue;
    const auto objects = decoder.DecodeObjects(archive.blocks(), block);
    if (!objects) {
      if (objects.error().code == ErrorCode::kIo) {
        return std::unexpected(objects.error());
      }
      continue;
    }
    ObjectNumber number = objects->header.first_object;
    for (const uint64_t size : objects->sizes) {
      infos[number++] = ObjectInfo{objects->header.type, size};
    }
  }
  return infos;
}

// The type and size of an object of the source. If they are not those in the
// file, a copy that has another id may be to blame.
Result<ObjectInfo> ReadInfoInSource(ObjectSource& source, const ObjectId& id,
                                    const std::optional<ObjectInfo>& in_file) {
  Result<ObjectInfo> info = source.ReadInfo(id);
  if (!info || !in_file || *info == *in_file) return info;
  return CheckSourceObject(source, id) ? source.ReadInfo(id) : info;
}

// Compares types and sizes of the objects that both sides have, and returns the
// differences.
Result<std::vector<Difference>> CompareInfos(const ArchiveFile& archive,
                                             ObjectSource& source,
                                             const ObjectIdTable& source_ids,
                                             const RunOptions& run,
                                             const ProgressPhase& phase) {
  constexpr uint64_t kGrain = 1024;
  ZPACK_ASSIGN_OR_RETURN(const InfosInFile infos, ReadInfosInFile(archive));
  IndexedVector<FileRank, std::optional<ObjectInfo>> in_source(
      archive.ids().size());
  std::mutex mutex;
  std::map<FileRank, std::string> unreadable;  // the reasons
  const Status read =
      ParallelFor(ResolveThreads(run.threads), run.stop, archive.ids().size(),
                  kGrain, [&](uint64_t begin, uint64_t end) -> Status {
                    for (const FileRank rank :
                         IndexRange(FileRank(static_cast<uint32_t>(begin)),
                                    FileRank(static_cast<uint32_t>(end)))) {
                      const ObjectId id = archive.ids()[rank];
                      if (!source_ids.Find(id)) continue;
                      Result<ObjectInfo> info = ReadInfoInSource(
                          source, id, infos[archive.number(rank)]);
                      if (info) {
                        in_source[rank] = *info;
                      } else if (info.error().code == ErrorCode::kIo) {
                        return std::unexpected(std::move(info).error());
                      } else {
                        const std::lock_guard lock(mutex);
                        unreadable[rank] = std::move(info).error().message;
                      }
                    }
                    phase.Advance(end - begin, 0);
                    return {};
                  });
  ZPACK_TRY(read);
  std::vector<Difference> differences;
  for (const FileRank rank : in_source.indexes()) {
    const std::string id = archive.ids()[rank].ToHex();
    if (const auto found = unreadable.find(rank); found != unreadable.end()) {
      differences.push_back({Kind::kDifferent, id, found->second});
    }
    const auto& in_file = infos[archive.number(rank)];
    const auto& info = in_source[rank];
    if (!info || !in_file || *in_file == *info) continue;
    differences.push_back(
        {Kind::kDifferent, id,
         FormatMessage("object {} is a {}, it should be a {}", id,
                       Describe(*in_file), Describe(*info))});
  }
  return differences;
}

// Returns whether later changes of the source explain a difference in refs,
// while the source still has every object that the file's refs name.
bool IsNewer(const Difference& difference, const RefsSnapshot& in_file,
             const RefsSnapshot& in_source, const ObjectIdTable& source_ids) {
  if (difference.kind == Kind::kMissing) return true;
  if (difference.subject == "HEAD") {
    return !in_file.head_symref.empty() ||
           source_ids.Find(in_file.head_target).has_value();
  }
  const Ref* const ours = in_file.Find(difference.subject);
  const Ref* const theirs = in_source.Find(difference.subject);
  // A difference that is not in a ref is in the shallow boundaries.
  if (ours == nullptr) return true;
  if (theirs == nullptr) return false;
  const bool moved = ours->target != theirs->target ||
                     ours->symref_target != theirs->symref_target;
  return moved &&
         (ours->symbolic() || source_ids.Find(ours->target).has_value());
}

}  // namespace

Result<RefsSnapshot> ReadRefsToCompare(ObjectSource& source,
                                       const RefsSnapshot& in_file) {
  ZPACK_ASSIGN_OR_RETURN(RefsSnapshot refs, source.ReadRefs());
  const auto is_peeled_otherwise = [&](const Ref& ref) {
    const Ref* const other = in_file.Find(ref.name);
    return other != nullptr && other->target == ref.target &&
           other->peeled != ref.peeled;
  };
  bool may_change = false;
  for (const Ref& ref : refs.refs) {
    if (is_peeled_otherwise(ref) && CheckSourceObject(source, ref.target)) {
      may_change = true;
    }
  }
  return may_change ? source.ReadRefs() : std::move(refs);
}

void CompareRefs(const RefsSnapshot& in_file, const RefsSnapshot& in_source,
                 std::vector<Difference>& differences) {
  if (in_file.head_symref != in_source.head_symref ||
      in_file.head_target != in_source.head_target) {
    differences.push_back(
        {Kind::kDifferent, "HEAD",
         FormatMessage("HEAD is {}, it should be {}",
                       MessageText{DescribeHead(in_file)},
                       MessageText{DescribeHead(in_source)})});
  }
  for (const Ref& ref : in_source.refs) {
    CompareOneRef(in_file.Find(ref.name), &ref, differences);
  }
  for (const Ref& ref : in_file.refs) {
    if (in_source.Find(ref.name) == nullptr) {
      CompareOneRef(&ref, nullptr, differences);
    }
  }
  const auto shallow = [&](const RefsSnapshot& a, const RefsSnapshot& b,
                           Kind kind, std::string_view text) {
    for (const ObjectId& id : a.shallow) {
      if (std::ranges::binary_search(b.shallow, id)) continue;
      differences.push_back(
          {kind, "shallow " + id.ToHex(),
           FormatMessage("shallow boundary {} {}", id.ToHex(), text)});
    }
  };
  shallow(in_source, in_file, Kind::kMissing, "is missing");
  shallow(in_file, in_source, Kind::kExtra, "is not in the repository");
}

namespace {

// Why an object of the source is not in the file.
std::string_view Absence(const ArchiveFile& archive, const ObjectId& id) {
  if (archive.promises().Has(id)) return "only promised";
  return archive.lost() && archive.lost()->Has(id)
             ? "missing, and the file lists it as lost"
             : "missing";
}

// Of the objects that the file lists as lost, those that the source has in a
// damaged form: to the file, they are lost as well.
DamagedObjects FindKnownDamage(const ArchiveFile& archive,
                               ObjectSource& source) {
  DamagedObjects damaged;
  if (!archive.lost()) return damaged;
  const ObjectIdTable& lost = archive.lost()->ids;
  for (uint32_t i = 0; i < lost.size(); ++i) {
    Status checked = CheckSourceObject(source, lost[i]);
    if (checked || checked.error().code == ErrorCode::kNotFound) continue;
    damaged.emplace(lost[i], std::move(checked).error().message);
  }
  return damaged;
}

// Damaged objects of the source are differences: the file is intact.
Status HashSource(const ArchiveFile& archive, ObjectSource& source,
                  const RunOptions& run, VerifyReport& report) {
  std::vector<Error> damages;
  ZPACK_ASSIGN_OR_RETURN(report.source_objects_verified,
                         VerifySource(source, archive, run, damages));
  std::set<std::string> known;
  for (const Difference& difference : report.differences) {
    known.insert(difference.subject);
  }
  for (const Error& damage : damages) {
    const std::string id = damage.object.ToHex();
    if (known.contains(id)) continue;
    report.differences.push_back({Kind::kDifferent, id, damage.message});
  }
  return {};
}

Status Compare(const ArchiveFile& archive, ObjectSource& source,
               AllowNewer newer, const RunOptions& run, VerifyReport& report) {
  const ProgressPhase phase(run.progress, Phase::kComparingObjects,
                            archive.ids().size(), 0);
  if (source.object_format() != archive.header().object_format) {
    report.differences.push_back(
        {Kind::kDifferent, "object format",
         FormatMessage("object format is {}, it should be {}",
                       ObjectFormatName(archive.header().object_format),
                       ObjectFormatName(source.object_format()))});
    return {};
  }
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs,
                         ReadRefsToCompare(source, archive.refs()));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable ids, source.ListObjects());
  const std::vector<uint32_t> extra = RanksOnlyIn(archive.ids(), ids);
  const std::vector<uint32_t> missing = RanksOnlyIn(ids, archive.ids());
  if (!extra.empty()) {
    ZPACK_ASSIGN_OR_RETURN(const bool same,
                           IsSameRepository(archive, source, ids));
    if (!same) {
      report.differences.push_back(
          {Kind::kDifferent, "repository",
           FormatMessage("this is another repository: '{}' shares no commit "
                         "with '{}'",
                         source.path(), archive.path())});
      return {};
    }
  }
  CompareRefs(archive.refs(), refs, report.differences);
  if (newer == AllowNewer::kYes) {
    report.moved_on.refs =
        std::erase_if(report.differences, [&](const Difference& ref) {
          return IsNewer(ref, archive.refs(), refs, ids);
        });
    report.moved_on.objects = missing.size();
  } else {
    for (const uint32_t rank : missing) {
      const std::string id = ids[rank].ToHex();
      report.differences.push_back(
          {Kind::kMissing, id,
           FormatMessage("object {} is {}", id,
                         MessageText{Absence(archive, ids[rank])})});
    }
  }
  for (const uint32_t rank : extra) {
    // Files below may be of another repository.
    if (archive.number(FileRank(rank)) < archive.first_own_object()) continue;
    const std::string id = archive.ids()[FileRank(rank)].ToHex();
    report.differences.push_back(
        {Kind::kExtra, id,
         FormatMessage("object {} is not in the repository", id)});
  }
  ZPACK_ASSIGN_OR_RETURN(std::vector<Difference> infos,
                         CompareInfos(archive, source, ids, run, phase));
  std::ranges::move(infos, std::back_inserter(report.differences));
  // Newer files are to be expected in a newer repository.
  if (newer == AllowNewer::kYes) return {};
  return CompareFiles(archive, source, run.stop, report);
}

}  // namespace

Status CompareWithSource(const ArchiveFile& archive, ObjectSource& source,
                         const VerifyOptions& options, VerifyReport& report) {
  const DamagedObjects damaged = FindKnownDamage(archive, source);
  const auto sound = WithoutDamaged(source, damaged);
  ZPACK_TRY(Compare(archive, damaged.empty() ? source : *sound,
                    options.allow_newer, options.run, report));
  if (options.read_source == ReadSource::kNo ||
      source.object_format() != archive.header().object_format) {
    return {};
  }
  return HashSource(archive, source, options.run, report);
}

}  // namespace zpack
