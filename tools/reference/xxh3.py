# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""XXH3-64 with seed 0 and the default secret, as in the file; of 16 bytes or more, as no checksum covers fewer."""

import struct

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
LANES = (0xC2B2AE3D, 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
         0x85EBCA77C2B2AE63, 0x85EBCA77, 0x27D4EB2F165667C5, 0x9E3779B1)
PRIME64_1, PRIME32_1 = LANES[1], LANES[7]
MASK = (1 << 64) - 1
two_words, four_words, eight_words = (struct.Struct(f"<{n}Q").unpack_from for n in (2, 4, 8))


def fold(a, b):
    return (a * b & MASK) ^ (a * b >> 64)


def mix16(data, at, secret_at):
    (low, high), (key_low, key_high) = two_words(data, at), two_words(SECRET, secret_at)
    return fold(low ^ key_low, high ^ key_high)


def avalanche(value):
    value = ((value & MASK) ^ (value & MASK) >> 37) * 0x165667919E3779F9 & MASK
    return (value ^ value >> 32).to_bytes(8, "big")


def accumulate(lanes, data, at, secret_at):
    words, keys = eight_words(data, at), eight_words(SECRET, secret_at)
    for i, word in enumerate(words):
        key = word ^ keys[i]
        lanes[i ^ 1] += word
        lanes[i] += (key & 0xFFFFFFFF) * (key >> 32)


def xxh3_of_long(data):
    lanes = list(LANES)
    for stripe in range((len(data) - 1) // 64):
        accumulate(lanes, data, 64 * stripe, stripe % 16 * 8)
        if stripe % 16 == 15:
            for i, key in enumerate(eight_words(SECRET, 128)):
                lanes[i] = ((lanes[i] & MASK) ^ (lanes[i] & MASK) >> 47 ^ key) * PRIME32_1 & MASK
    accumulate(lanes, data, len(data) - 64, 121)
    words = [(lane & MASK) ^ key for lane, key in zip(lanes, eight_words(SECRET, 11))]
    return avalanche(len(data) * PRIME64_1 + sum(fold(words[i], words[i + 1]) for i in (0, 2, 4, 6)))


def xxh3(data):
    size = len(data)
    if size > 240:
        return xxh3_of_long(data)
    if size == 16:
        words, keys = two_words(data, 0), four_words(SECRET, 24)
        low, high = words[0] ^ keys[0] ^ keys[1], words[1] ^ keys[2] ^ keys[3]
        return avalanche(size + int.from_bytes(low.to_bytes(8, "little"), "big") + high + fold(low, high))
    total = size * PRIME64_1
    if size <= 128:
        for i in range((size - 1) // 32 + 1):
            total += mix16(data, 16 * i, 32 * i) + mix16(data, size - 16 * i - 16, 32 * i + 16)
        return avalanche(total)
    total = avalanche(total + sum(mix16(data, 16 * i, 16 * i) for i in range(8)))
    total = int.from_bytes(total, "big") + sum(mix16(data, 16 * i, 16 * i - 125) for i in range(8, size // 16))
    return avalanche(total + mix16(data, size - 16, 119))
