// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/repair_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "format/file_header.h"
#include "format/trailer.h"
#include "parity/covered_data.h"
#include "parity/data_restorer.h"
#include "parity/parity_encoder.h"
#include "parity/repair_plan.h"
#include "protect/check_archive.h"
#include "protect/image_file.h"
#include "protect/parity_source.h"
#include "protect/protect_file.h"
#include "protect/seal_file.h"
#include "reader/dependent_files.h"
#include "reader/file_structure.h"
#include "zpack/publish_file.h"

namespace zpack {
namespace {

using Outcome = RepairReport::Outcome;

// The header of the file, or its copy; empty if both are damaged.
Result<Bytes> ReadHeader(const RandomAccessFile& file) {
  ZPACK_ASSIGN_OR_RETURN(const auto header, FindHeader(file, ReadOptions{}));
  Bytes bytes;
  if (header) Encode(*header, bytes);
  return bytes;
}

// The last bytes of the file, if they can be a trailer.
Result<Bytes> ReadTrailer(const RandomAccessFile& file) {
  Bytes bytes(std::min<uint64_t>(file.size(), format::kTrailerSize));
  ZPACK_TRY(file.Read(file.size() - bytes.size(), bytes));
  return format::DecodeTrailer(bytes) ? bytes : Bytes();
}

// One attempt to repair a file with one parity set. `parity` is the file of
// parity as it was before it was read.
class RepairAttempt {
 public:
  RepairAttempt(FileSystem& file_system, const std::string& path,
                const RepairOptions& options, const ParitySource& source,
                const std::optional<FileIdentity>& parity)
      : file_system_(file_system),
        path_(path),
        options_(options),
        source_(source),
        before_(IdentityOf(path)),
        parity_before_(parity) {}

  Result<RepairReport> Run() {
    ZPACK_ASSIGN_OR_RETURN(file_, file_system_.OpenForRead(path_));
    ZPACK_ASSIGN_OR_RETURN(
        set_, CollectSet(*source_.file, source_.begin(), source_.parameters,
                         options_.run.stop));
    ZPACK_ASSIGN_OR_RETURN(plan_, MakeRepairPlan(*file_, set_, options_.run));
    Describe();
    if (!plan_.possible()) {
      if (IsForeign()) return OtherVersion();
      report_.outcome = Outcome::kImpossible;
      return std::move(report_);
    }
    ZPACK_ASSIGN_OR_RETURN(const bool file_whole, IsFileWhole());
    if (!file_whole) ZPACK_TRY(CheckDamaged());
    const bool parity_whole = IsParityWhole();
    if (file_whole && parity_whole) return std::move(report_);
    report_.outcome = Outcome::kRepaired;
    if (!file_whole) ZPACK_TRY(RewriteFile());
    if (report_.outcome == Outcome::kRepaired && !parity_whole &&
        !shape().embedded()) {
      ZPACK_TRY(RewriteParity());
    }
    ZPACK_TRY(Publish());
    return std::move(report_);
  }

 private:
  const ParityShape& shape() const { return set_.shape(); }

  void Describe() {
    report_.parity = source_.file->path();
    report_.place =
        shape().embedded() ? ParityPlace::kInside : ParityPlace::kBeside;
    report_.data_shards = shape().shards();
    report_.parity_shards = shape().parity_shards();
    report_.shard_bytes = shape().shard_size;
    report_.codewords = shape().codewords;
    report_.lost_data_shards = plan_.lost();
    report_.moved_shards = plan_.moved();
    report_.lost_parity_shards = shape().parity_shards() - set_.parity_found;
    report_.spare_shards = plan_.spare();
    report_.repairable_bytes = shape().RepairableRun(shape().parity);
    for (size_t i = 0; i < plan_.codewords.size(); ++i) {
      const CodewordPlan& codeword = plan_.codewords[i];
      if (codeword.possible()) continue;
      report_.lost_codewords.push_back(
          {i, codeword.lost_data.size(), codeword.parity_left});
    }
  }

  bool IsParityWhole() const {
    return set_.intact &&
           (shape().embedded() || source_.file->size() == shape().set_size());
  }

  Result<bool> IsFileWhole() {
    if (!plan_.whole() || file_->size() != CoveredFileSize(shape()) ||
        (shape().embedded() && !IsParityWhole())) {
      return false;
    }
    return IsSound();
  }

  // True if all checksums of the file are right.
  Result<bool> IsSound() const {
    ZPACK_ASSIGN_OR_RETURN(auto file, file_system_.OpenForRead(path_));
    const Status checked = CheckArchive(std::move(file), options_.run);
    if (checked) return true;
    // Damage can look like any other kind of file.
    switch (checked.error().code) {
      case ErrorCode::kIo:
      case ErrorCode::kInterrupted:
      case ErrorCode::kOutOfMemory:
        return std::unexpected(checked.error());
      default:
        return false;
    }
  }

  // A file that differs from what the parity was made for, and is undamaged, is
  // another version. To repair it would be to lose it.
  Status CheckDamaged() const {
    ZPACK_ASSIGN_OR_RETURN(const bool sound, IsSound());
    if (sound) return OtherVersion();
    return {};
  }

  // Whether what is left of the damaged file is of the same version as the
  // repaired one, which is file_.
  Result<bool> IsSameVersion(const RandomAccessFile& damaged) const {
    // The header has the sizes of the file, so it differs between versions.
    ZPACK_ASSIGN_OR_RETURN(const Bytes left, ReadHeader(damaged));
    if (!left.empty()) {
      ZPACK_ASSIGN_OR_RETURN(const Bytes header, ReadHeader(*file_));
      return left == header;
    }
    if (shape().embedded() || plan_.lost() < shape().shards()) return true;
    ZPACK_ASSIGN_OR_RETURN(const Bytes end, ReadTrailer(damaged));
    ZPACK_ASSIGN_OR_RETURN(const Bytes trailer, ReadTrailer(*file_));
    return end == trailer;
  }

  // True if the file has nothing of what the parity beside it was made for.
  bool IsForeign() const {
    return !shape().embedded() && plan_.lost() == shape().shards() &&
           file_->size() != CoveredFileSize(shape());
  }

  std::unexpected<Error> OtherVersion() const {
    return MakeError(ErrorCode::kMismatch,
                     "parity in '{}' was made for another version of '{}'",
                     AtPath{source_.file->path()}, AtPath{path_});
  }

  std::string Output() const {
    if (options_.in_place == Overwrite::kYes) return path_;
    return options_.output.empty() ? path_ + ".repaired" : options_.output;
  }
  std::string ParityOutput() const {
    return options_.in_place == Overwrite::kYes ? source_.file->path()
                                                : ParityPathOf(Output());
  }
  Overwrite MayReplace() const {
    return options_.in_place == Overwrite::kYes ? Overwrite::kYes
                                                : options_.overwrite;
  }

  // Writes the repaired file under a temporary name and proves it.
  Status RewriteFile() {
    if (Output() != path_) ZPACK_TRY(CheckServes(path_, Output()));
    ZPACK_ASSIGN_OR_RETURN(
        ImageFile created,
        ImageFile::Create(file_system_, Output(), MayReplace()));
    image_.emplace(std::move(created));
    image_->LimitMode(path_);
    if (options_.in_place == Overwrite::kNo) {
      before_ = IdentityOf(image_->path());
    }
    ZPACK_TRY(RestoreData({*file_, *source_.file, set_, plan_}, options_.run,
                          [&](uint64_t offset, ByteView bytes) {
                            Status status;
                            ForEachPiece(
                                shape(), offset, bytes.size(),
                                [&](uint64_t data, uint64_t at, uint64_t size) {
                                  if (!status) return;
                                  status = image_->Put(
                                      at, bytes.subspan(data - offset, size));
                                });
                            return status;
                          }));
    ZPACK_TRY(image_->Extend(CoveredFileSize(shape())));
    const std::unique_ptr<RandomAccessFile> damaged = std::move(file_);
    ZPACK_ASSIGN_OR_RETURN(file_, image_->Open());
    ZPACK_ASSIGN_OR_RETURN(const bool same, IsSameVersion(*damaged));
    if (!same) return OtherVersion();
    if (shape().embedded()) {
      ZPACK_ASSIGN_OR_RETURN(const auto parameters, EncodeInto(*image_));
      if (parameters != source_.parameters) return GiveUp();
      ZPACK_TRY(SealFile(*file_, shape(), options_.run, *image_));
    } else {
      ZPACK_ASSIGN_OR_RETURN(const auto hash, HashData());
      if (hash != source_.parameters.data_hash) return GiveUp();
    }
    ZPACK_TRY(image_->Sync());
    ZPACK_ASSIGN_OR_RETURN(auto written, image_->Open());
    const Status checked = CheckArchive(std::move(written), options_.run);
    if (!checked && checked.error().code == ErrorCode::kCorrupt) {
      return GiveUp();
    }
    return checked;
  }

  // The restored data is not the original: damage that its checksums do not
  // show.
  Status GiveUp() {
    report_.outcome = Outcome::kImpossible;
    image_.reset();
    return {};
  }

  Result<std::array<uint8_t, 32>> HashData() const {
    constexpr uint64_t kPiece = uint64_t{1} << 20;
    Hasher hasher(HashAlgorithm::kSha256);
    Bytes bytes;
    for (uint64_t at = 0; at < shape().data_size; at += bytes.size()) {
      ZPACK_TRY(CheckStop(options_.run.stop));
      bytes.resize(std::min(kPiece, shape().data_size - at));
      ZPACK_TRY(ReadCovered(*file_, shape(), at, bytes));
      hasher.Update(bytes);
    }
    std::array<uint8_t, 32> hash;
    hasher.Finish(hash);
    return hash;
  }

  // Makes the parity of file_.
  Result<ParityParameters> EncodeInto(ImageFile& image) const {
    return EncodeParitySet(*file_, shape(), options_.run,
                           [&](uint64_t offset, ByteView bytes) {
                             return image.Put(source_.begin() + offset, bytes);
                           });
  }

  Status RewriteParity() {
    ZPACK_ASSIGN_OR_RETURN(
        ImageFile created,
        ImageFile::Create(file_system_, ParityOutput(), MayReplace()));
    parity_image_.emplace(std::move(created));
    parity_image_->LimitMode(path_);
    if (options_.in_place == Overwrite::kNo) {
      parity_before_ = IdentityOf(parity_image_->path());
    }
    ZPACK_ASSIGN_OR_RETURN(const auto parameters, EncodeInto(*parity_image_));
    if (parameters != source_.parameters) return GiveUp();
    return parity_image_->Sync();
  }

  Status Publish() {
    if (report_.outcome != Outcome::kRepaired) return {};
    if (image_) {
      if (Output() != path_) {
        ZPACK_TRY(CheckServes(image_->temporary_path(), Output()));
      }
      ZPACK_TRY(image_->CommitOver(before_));
      report_.output = Output();
    }
    if (parity_image_) {
      ZPACK_TRY(parity_image_->CommitOver(parity_before_));
      report_.parity_output = ParityOutput();
    }
    return {};
  }

  FileSystem& file_system_;
  const std::string& path_;
  const RepairOptions& options_;
  const ParitySource& source_;
  // What `path_` and the parity were when the reading began; without in_place,
  // what the outputs were before they were written.
  std::optional<FileIdentity> before_;
  std::optional<FileIdentity> parity_before_;
  std::unique_ptr<RandomAccessFile> file_;  // damaged, later the repaired one
  FoundSet set_;
  RepairPlan plan_;
  RepairReport report_;
  std::optional<ImageFile> image_;
  std::optional<ImageFile> parity_image_;
};

// What is repaired with must not be replaced by the result.
Status CheckOutput(const std::string& output,
                   const std::vector<ParitySource>& sources) {
  for (const ParitySource& source : sources) {
    std::error_code ignored;
    if (std::filesystem::equivalent(output, source.file->path(), ignored) &&
        !source.parameters.shape.embedded()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "the output '{}' is the parity that is read",
                       AtPath{output});
    }
  }
  return {};
}

}  // namespace

Result<RepairReport> RepairFile(FileSystem& file_system,
                                const std::string& path,
                                const RepairOptions& options) {
  if (options.in_place == Overwrite::kYes && !options.output.empty()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a repair in place has no other output");
  }
  const auto parity =
      IdentityOf(options.parity.empty() ? ParityPathOf(path) : options.parity);
  ZPACK_ASSIGN_OR_RETURN(
      std::vector<ParitySource> sources,
      FindParity(file_system, path, options.parity, options.run));
  // What a file holds is of its own version.
  std::ranges::stable_partition(sources, [](const ParitySource& source) {
    return source.parameters.shape.embedded();
  });
  ZPACK_TRY(CheckOutput(options.output, sources));
  std::optional<Result<RepairReport>> first;
  for (const ParitySource& source : sources) {
    Result<RepairReport> report =
        RepairAttempt(file_system, path, options, source, parity).Run();
    if (!report && report.error().code != ErrorCode::kMismatch) return report;
    if (report && report->outcome != Outcome::kImpossible) return report;
    if (!first) first.emplace(std::move(report));
  }
  return std::move(*first);
}

}  // namespace zpack
