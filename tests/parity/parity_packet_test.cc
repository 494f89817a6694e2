// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Packets byte by byte, and finding them among other bytes.

#include "parity/parity_packet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "codec/deflate.h"
#include "parity/packet_scanner.h"
#include "parity/rolling_crc.h"
#include "support/matchers.h"
#include "support/memory_file.h"

namespace zpack::testing {
namespace {

ParityParameters Sample() {
  ParityParameters parameters{.shape = {.data_size = 0x123456,
                                        .gap = 0x1000,
                                        .shard_size = 1024,
                                        .codewords = 1,
                                        .parity = 59}};
  parameters.data_hash.fill(0xab);
  return parameters;
}

Bytes PacketOf(const ParityParameters& parameters) {
  Bytes payload;
  Encode(parameters, payload);
  Bytes packet;
  Encode({.kind = PacketKind::kParameters,
          .set = SetIdOf(parameters),
          .index = 0,
          .payload = payload},
         packet);
  return packet;
}

TEST(ParityPacket, HasTheBytesOfTheSpecification) {
  const Bytes packet = PacketOf(Sample());
  ASSERT_EQ(packet.size(), 96);
  const std::vector<uint8_t> start(packet.begin(), packet.begin() + 8);
  EXPECT_THAT(start, ::testing::ElementsAre('Z', 'P', 'A', 'R', 1, 0, 0, 0));
  const std::vector<uint8_t> middle(packet.begin() + 16, packet.begin() + 56);
  EXPECT_THAT(middle,
              ::testing::ElementsAre(
                  0, 0, 0, 0, 0, 0, 0, 64,          // index, payload size
                  0, 1, 0, 0, 0, 0, 4, 0,           // version, shard size
                  0, 0, 0, 0, 0, 0x12, 0x34, 0x56,  // data size
                  0, 0, 0, 0, 0, 0, 0x10, 0,        // place of the set
                  0, 0, 0, 1, 0, 0, 0, 59));        // codewords, parity shards
  EXPECT_EQ(packet[56], 0xab);
}

TEST(ParityPacket, ComesBack) {
  const Bytes bytes = PacketOf(Sample());  // The packet's payload lies in it.
  const auto packet = DecodePacket(bytes);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->kind, PacketKind::kParameters);
  const auto parameters = DecodeParameters(packet->payload);
  ASSERT_THAT(parameters, IsOk());
  EXPECT_EQ(*parameters, Sample());
  EXPECT_EQ(packet->set, SetIdOf(Sample()));
}

TEST(ParityPacket, IsRefusedWithAnyByteChangedOrMissing) {
  const Bytes packet = PacketOf(Sample());
  for (size_t i = 0; i < packet.size(); ++i) {
    Bytes damaged = packet;
    damaged[i] ^= 0x10;
    EXPECT_FALSE(DecodePacket(damaged)) << i;
    EXPECT_FALSE(DecodePacket(ByteView(packet).first(i))) << i;
  }
}

TEST(ParityPacket, OfANewerVersionSaysSo) {
  Bytes payload;
  Encode(Sample(), payload);
  payload[1] = 2;
  EXPECT_THAT(DecodeParameters(payload),
              IsError(ErrorCode::kUnsupported,
                      "parity of version 2 needs a newer git-zpack"));
}

TEST(PacketScanner, FindsPacketsBetweenGarbage) {
  std::mt19937 random(1);
  Bytes file;
  std::vector<uint64_t> expected;
  const Bytes packet = PacketOf(Sample());
  for (int i = 0; i < 40; ++i) {
    for (uint32_t n = random() % 100'000; n > 0; --n) {
      file.push_back(static_cast<uint8_t>(random()));
    }
    // The start of a packet, which is none.
    Append(file, ByteView(packet).first(random() % packet.size()));
    expected.push_back(file.size());
    Append(file, packet);
  }
  std::vector<uint64_t> found;
  ASSERT_THAT(ScanPackets(MemoryFile(file), {},
                          [&](uint64_t offset, const ParityPacket& at) {
                            EXPECT_EQ(at.size(), packet.size());
                            found.push_back(offset);
                          }),
              IsOk());
  EXPECT_EQ(found, expected);
  const auto parameters = FindParameters(MemoryFile(file), file.size(), {});
  ASSERT_THAT(parameters, IsOk());
  EXPECT_THAT(*parameters, ::testing::ElementsAre(Sample()));
}

// Files that are stored in the file come before the parity of the file itself.
TEST(PacketScanner, KeepsTheParametersThatFitTheFile) {
  Bytes file;
  const auto add = [&](uint64_t data_size) {
    ParityParameters parameters = Sample();
    parameters.shape = *MakeParityShape(data_size, data_size, 500);
    Bytes payload;
    Encode(parameters, payload);
    Encode(
        ParityPacket{PacketKind::kParameters, SetIdOf(parameters), 0, payload},
        file);
    return parameters;
  };
  for (uint64_t other = 0; other < 40; ++other) add(50'000 + 1000 * other);
  const ParityParameters own = add(123'456);
  for (uint64_t other = 0; other < 40; ++other) add(150'000 + 1000 * other);
  const auto found = FindParameters(MemoryFile(file), 123'400, {});
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->size(), 16U);
  EXPECT_THAT(*found, ::testing::Contains(own));
}

TEST(PacketScanner, FindsNothingInGarbage) {
  Bytes file;
  for (int i = 0; i < 1 << 20; ++i) file.push_back("ZPAR"[i % 4]);
  const auto parameters = FindParameters(MemoryFile(file), file.size(), {});
  ASSERT_THAT(parameters, IsOk());
  EXPECT_TRUE(parameters->empty());
}

TEST(RollingCrc, IsTheChecksumOfEachWindow) {
  std::mt19937 random(2);
  constexpr size_t kWindow = 512;
  Bytes bytes(kWindow, 0);
  RollingCrc crc(kWindow);
  for (int i = 0; i < 2000; ++i) {
    bytes.push_back(static_cast<uint8_t>(random()));
    crc.Roll(bytes.back(), bytes[bytes.size() - 1 - kWindow]);
    ASSERT_EQ(crc.Value(), Crc32(0, ByteView(bytes).last(kWindow)));
  }
}

}  // namespace
}  // namespace zpack::testing
