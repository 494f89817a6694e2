# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
"""FORMAT.md, "Parity" and "Erasure code", written from the text alone: makes the parity
set of a file, which has to be the one that a writer made."""

import hashlib
import struct
import zlib

from zpack_draft import xxh3


def multiply(a, b):
    """In the field of the erasure code."""
    product = 0
    while b:
        if b & 1:
            product ^= a
        a <<= 1
        if a & 0x10000:
            a ^= 0x1100B
        b >>= 1
    return product


def invert(a):
    """a to the power of 2^16 - 2."""
    result, exponent = 1, 65534
    while exponent:
        if exponent & 1:
            result = multiply(result, a)
        a = multiply(a, a)
        exponent >>= 1
    return result


def product_of(factors):
    result = 1
    for factor in factors:
        result = multiply(result, factor)
    return result


def words_of(shard):
    """Byte w of each 64 bytes is the high byte of word w, byte 32 + w its low byte."""
    return [high << 8 | low for at in range(0, len(shard), 64)
            for high, low in zip(shard[at:at + 32], shard[at + 32:at + 64])]


def bytes_of(words):
    return b"".join(bytes([word >> 8 for word in words[at:at + 32]] + [word & 0xff for word in words[at:at + 32]])
                    for at in range(0, len(words), 32))


def parity_shards(data, count):
    """`count` parity shards of data shards of equal size."""
    size = 1
    while size < count:
        size *= 2
    divisor = product_of(range(1, size))
    sums = [[0] * (len(data[0]) // 2) for _ in range(count)]
    for i, shard in enumerate(data):
        numerator = product_of((size + i) ^ q for q in range(size))
        for j in range(count):
            factor = multiply(numerator, invert(multiply(divisor, j ^ (size + i))))
            # Multiplication is linear, so 16 products make all others.
            of_bit = [multiply(factor, 1 << bit) for bit in range(16)]
            for at, word in enumerate(words_of(shard)):
                for bit in range(16):
                    if word >> bit & 1:
                        sums[j][at] ^= of_bit[bit]
    return [bytes_of(words) for words in sums]


def parity_set(data, shard_size, offset, codewords, redundancy):
    """The whole set of this data; the last four are what the parameters say."""
    parameters = struct.pack(">HHIQQII", 1, 0, shard_size, len(data), offset, codewords, redundancy)
    parameters += hashlib.sha256(data).digest()
    set_id = hashlib.sha256(parameters).digest()[:8]

    def packet(kind, index, payload):
        start = b"ZPAR" + bytes([kind, 0, 0, 0]) + set_id + struct.pack(">II", index, len(payload)) + payload
        return start + xxh3(start)

    count = max(-(-len(data) // shard_size), 1)
    shards = [data[at * shard_size:(at + 1) * shard_size].ljust(shard_size, b"\0") for at in range(count)]
    parity = {}
    for codeword in range(codewords):
        of_codeword = [shard for at, shard in enumerate(shards) if at // 16 % codewords == codeword]
        for j, shard in enumerate(parity_shards(of_codeword, redundancy)):
            parity[j * codewords + codeword] = shard
    groups = -(-count // 64)
    checksums = [zlib.crc32(shard) for shard in shards] + [0] * (64 * groups - count)
    copies, total = 3 if groups <= 128 else 2, len(parity)
    spread = total // 5
    before = [[] for _ in range(total + 1)]  # packets of checksums before each parity shard
    for copy in range(copies):
        begin = (total - spread) * copy // (copies - 1)
        order = sorted(range(groups), key=lambda group: (group % 16 if copy else 0, group))  # pylint: disable=W0640
        for r, group in enumerate(order):
            payload = struct.pack(">64I", *checksums[64 * group:64 * group + 64])
            before[begin + r * spread // groups].append(packet(2, group, payload))
    packets = []
    for number, of_checksums in enumerate(before):
        packets += of_checksums
        if number < total:
            packets.append(packet(3, number, parity[number]))
    of_parameters = packet(1, 0, parameters)
    for at in reversed(range(0, len(packets), 32)):
        packets.insert(at, of_parameters)
    return b"".join([*packets, of_parameters])


def made_again(found, data):
    """The set of `data`, with the parameters that `found` has."""
    shard_size, size, offset, codewords, redundancy = struct.unpack(">IQQII", found[28:56])
    assert size == len(data)
    return parity_set(data, shard_size, offset, codewords, redundancy)
