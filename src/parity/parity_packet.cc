// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/parity_packet.h"

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"

namespace zpack {
namespace {

constexpr uint16_t kParityVersion = 1;

bool HasRightSize(PacketKind kind, uint64_t size) {
  switch (kind) {
    case PacketKind::kParameters:
      return size == kParametersSize;
    case PacketKind::kChecksums:
      return size == ParityShape::kGroup * sizeof(uint32_t);
    case PacketKind::kParity:
      return size >= ParityShape::kMinShardSize &&
             size <= ParityShape::kMaxShardSize;
  }
  return false;
}

}  // namespace

void Encode(const ParityParameters& parameters, Bytes& out) {
  const ParityShape& shape = parameters.shape;
  ByteWriter to(out);
  to.U16(kParityVersion);
  to.U16(0);
  to.U32(shape.shard_size);
  to.U64(shape.data_size);
  to.U64(shape.gap);
  to.U32(shape.codewords);
  to.U32(shape.parity);
  to.Raw(parameters.data_hash);
}

Result<ParityParameters> DecodeParameters(ByteView payload) {
  ByteReader in(payload);
  ParityParameters parameters;
  ParityShape& shape = parameters.shape;
  const uint16_t version = in.U16();
  const uint16_t reserved = in.U16();
  shape.shard_size = in.U32();
  shape.data_size = in.U64();
  shape.gap = in.U64();
  shape.codewords = in.U32();
  shape.parity = in.U32();
  const ByteView hash = in.Raw(parameters.data_hash.size());
  if (!in.exhausted()) {
    return MakeError(ErrorCode::kCorrupt, "bad parameters of parity");
  }
  if (version != kParityVersion || reserved != 0) {
    return MakeError(ErrorCode::kUnsupported,
                     "parity of version {} needs a newer git-zpack", version);
  }
  std::ranges::copy(hash, parameters.data_hash.begin());
  ZPACK_TRY(CheckParityShape(shape));
  return parameters;
}

ParitySetId SetIdOf(const ParityParameters& parameters) {
  Bytes encoded;
  Encode(parameters, encoded);
  return SetIdOf(encoded);
}

ParitySetId SetIdOf(ByteView encoded_parameters) {
  Hasher hasher(HashAlgorithm::kSha256);
  hasher.Update(encoded_parameters);
  std::array<uint8_t, Hasher::kMaxSize> hash;
  return LoadBigEndian<uint64_t>(hasher.Finish(hash).data());
}

void Encode(const ParityPacket& packet, Bytes& out) {
  const size_t begin = out.size();
  ByteWriter to(out);
  to.U32(kPacketMagic);
  to.U8(static_cast<uint8_t>(packet.kind));
  to.U8(0);
  to.U16(0);
  to.U64(packet.set);
  to.U32(packet.index);
  to.U32(static_cast<uint32_t>(packet.payload.size()));
  to.Raw(packet.payload);
  to.U64(Checksum(ByteView(out).subspan(begin)));
}

std::optional<ParityPacket> DecodePacket(ByteView bytes) {
  ByteReader in(bytes);
  if (in.U32() != kPacketMagic) return std::nullopt;
  ParityPacket packet;
  packet.kind = static_cast<PacketKind>(in.U8());
  const bool reserved = in.U8() == 0 && in.U16() == 0;
  packet.set = in.U64();
  packet.index = in.U32();
  const uint32_t size = in.U32();
  if (!in.ok() || !reserved || !HasRightSize(packet.kind, size)) {
    return std::nullopt;
  }
  packet.payload = in.Raw(size);
  const uint64_t checksum = in.U64();
  if (!in.ok() || checksum != Checksum(bytes.first(kPacketHeaderSize + size))) {
    return std::nullopt;
  }
  return packet;
}

}  // namespace zpack
