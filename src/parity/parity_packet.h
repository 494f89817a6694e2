// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packets of a parity set (FORMAT.md, "Parity"). Each packet names its set
// and has a checksum, so a packet is found again at any offset. Pure.

#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "parity/parity_shape.h"
#include "zpack/result.h"

namespace zpack {

inline constexpr uint32_t kPacketMagic = 0x5a504152;  // "ZPAR"
// Bytes of a packet before and after its payload.
inline constexpr size_t kPacketHeaderSize = 24;
inline constexpr size_t kPacketOverhead = kPacketHeaderSize + 8;
inline constexpr size_t kParametersSize = 64;
inline constexpr size_t kMaxPacketSize =
    kPacketOverhead + ParityShape::kMaxShardSize;

// On disk: do not change.
enum class PacketKind : uint8_t {
  kParameters = 1,
  kChecksums = 2,
  kParity = 3
};

// The first 8 bytes of the SHA-256 of the encoded parameters.
using ParitySetId = uint64_t;

struct ParityParameters {
  ParityShape shape;
  std::array<uint8_t, 32> data_hash{};  // SHA-256 of the data

  bool operator==(const ParityParameters&) const = default;
};

void Encode(const ParityParameters& parameters, Bytes& out);
// kCorrupt, or kUnsupported if the parameters have a newer version.
Result<ParityParameters> DecodeParameters(ByteView payload);
ParitySetId SetIdOf(const ParityParameters& parameters);
ParitySetId SetIdOf(ByteView encoded_parameters);

struct ParityPacket {
  PacketKind kind = PacketKind::kParameters;
  ParitySetId set = 0;
  uint32_t index = 0;
  ByteView payload;

  size_t size() const { return kPacketOverhead + payload.size(); }
};

void Encode(const ParityPacket& packet, Bytes& out);
// The packet at the front of `bytes`. Nothing if there is no packet, or if it
// is damaged.
std::optional<ParityPacket> DecodePacket(ByteView bytes);

}  // namespace zpack
