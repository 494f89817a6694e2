// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/packet_scanner.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "parity/covered_data.h"

namespace zpack {
namespace {

constexpr uint64_t kScanWindow = uint64_t{1} << 20;
constexpr size_t kMaxSets = 16;
constexpr std::array<uint8_t, 4> kMagicBytes = {'Z', 'P', 'A', 'R'};

// Visits the packets that begin in the first `begins` bytes of `window`.
// Returns where to go on.
size_t ScanWindow(
    ByteView window, size_t begins,
    const std::function<void(size_t, const ParityPacket&)>& visit) {
  const std::string_view text = AsText(window);
  size_t at = 0;
  while (at < begins) {
    at = text.find(AsText(kMagicBytes), at);
    if (at == std::string_view::npos || at >= begins) break;
    const auto packet = DecodePacket(window.subspan(at));
    if (packet) visit(at, *packet);
    at += packet ? packet->size() : 1;
  }
  return std::max(begins, std::min(at, window.size()));
}

class SetCollector {
 public:
  SetCollector(const ParityParameters& parameters, uint64_t begin)
      : set_(SetIdOf(parameters)), begin_(begin) {
    const ParityShape& shape = parameters.shape;
    found_.parameters = parameters;
    found_.checksums.resize(shape.shards());
    found_.known.resize(shape.shards());
    found_.parity.assign(shape.parity_shards(), FoundSet::kLost);
    for (uint64_t i = 0; i < shape.parameters_packets(); ++i) {
      parameters_at_.push_back(shape.ParametersOffset(i));
    }
  }

  void Visit(uint64_t offset, const ParityPacket& packet) {
    if (packet.set != set_ || !Take(offset, packet)) return;
    const uint64_t end = offset + packet.size();
    if (!found_.packets.empty() && found_.packets.back().second == offset) {
      found_.packets.back().second = end;
    } else {
      found_.packets.emplace_back(offset, end);
    }
  }

  FoundSet Finish() && {
    const ParityShape& shape = found_.shape();
    found_.intact =
        at_home_ == shape.content_packets() + shape.parameters_packets();
    return std::move(found_);
  }

 private:
  bool Take(uint64_t offset, const ParityPacket& packet) {
    switch (packet.kind) {
      case PacketKind::kParameters:
        if (offset >= begin_ &&
            std::ranges::binary_search(parameters_at_, offset - begin_)) {
          ++at_home_;
        }
        return true;
      case PacketKind::kChecksums:
        return TakeChecksums(offset, packet);
      case PacketKind::kParity:
        return TakeParity(offset, packet);
    }
    return false;
  }

  bool TakeChecksums(uint64_t offset, const ParityPacket& packet) {
    const ParityShape& shape = found_.shape();
    if (packet.index >= shape.groups()) return false;
    const uint64_t first = packet.index * ParityShape::kGroup;
    ByteReader in(packet.payload);
    for (uint64_t shard = first;
         shard < std::min(first + ParityShape::kGroup, shape.shards());
         ++shard) {
      found_.checksums[shard] = in.U32();
      found_.known[shard] = true;
    }
    for (uint64_t copy = 0; copy < shape.copies(); ++copy) {
      CountAtHome(offset, shape.ChecksumsOffset(copy, packet.index));
    }
    return true;
  }

  bool TakeParity(uint64_t offset, const ParityPacket& packet) {
    const ParityShape& shape = found_.shape();
    if (packet.index >= shape.parity_shards() ||
        packet.payload.size() != shape.shard_size) {
      return false;
    }
    uint64_t& at = found_.parity[packet.index];
    if (at == FoundSet::kLost) ++found_.parity_found;
    at = offset + kPacketHeaderSize;
    CountAtHome(offset, shape.ParityOffset(packet.index));
    return true;
  }

  void CountAtHome(uint64_t offset, uint64_t in_set) {
    if (offset == begin_ + in_set) ++at_home_;
  }

  ParitySetId set_;
  uint64_t begin_;
  FoundSet found_;
  std::vector<uint64_t> parameters_at_;
  uint64_t at_home_ = 0;
};

}  // namespace

Status ScanPackets(
    const RandomAccessFile& file, const std::stop_token& stop,
    const std::function<void(uint64_t, const ParityPacket&)>& visit) {
  Bytes window;
  uint64_t at = 0;
  while (at < file.size()) {
    ZPACK_TRY(CheckStop(stop));
    // A packet that begins in the window must end in it.
    const uint64_t begins = std::min(kScanWindow, file.size() - at);
    window.resize(std::min(begins + kMaxPacketSize, file.size() - at));
    ZPACK_TRY(file.Read(at, window));
    at += ScanWindow(window, begins,
                     [&](size_t offset, const ParityPacket& packet) {
                       visit(at + offset, packet);
                     });
  }
  return {};
}

uint64_t SizeDifference(const ParityShape& shape, uint64_t file_size) {
  const uint64_t size = CoveredFileSize(shape);
  return size > file_size ? size - file_size : file_size - size;
}

Result<std::vector<ParityParameters>> FindParameters(
    const RandomAccessFile& file, uint64_t file_size,
    const std::stop_token& stop) {
  std::vector<ParityParameters> found;
  const auto difference = [&](const ParityParameters& parameters) {
    return SizeDifference(parameters.shape, file_size);
  };
  std::optional<Error> newer;
  ZPACK_TRY(ScanPackets(file, stop, [&](uint64_t, const ParityPacket& packet) {
    if (packet.kind != PacketKind::kParameters) return;
    const auto parameters = DecodeParameters(packet.payload);
    if (!parameters) {
      if (parameters.error().code == ErrorCode::kUnsupported) {
        newer = parameters.error();
      }
    } else if (packet.set == SetIdOf(packet.payload) &&
               std::ranges::find(found, *parameters) == found.end()) {
      found.push_back(*parameters);
      if (found.size() > kMaxSets) {
        found.erase(std::ranges::max_element(found, {}, difference));
      }
    }
  }));
  if (found.empty() && newer) {
    return std::unexpected(
        Extend(std::move(*newer), ": '{}'", AtPath{file.path()}));
  }
  return found;
}

Result<FoundSet> CollectSet(const RandomAccessFile& file, uint64_t begin,
                            const ParityParameters& parameters,
                            const std::stop_token& stop) {
  SetCollector collector(parameters, begin);
  ZPACK_TRY(
      ScanPackets(file, stop, [&](uint64_t offset, const ParityPacket& packet) {
        collector.Visit(offset, packet);
      }));
  return std::move(collector).Finish();
}

}  // namespace zpack
