// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What every fuzz target defines: libFuzzer's entry point. It must return for
// any input, without a crash, a hang, or memory out of proportion.

#pragma once

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A target may make its own mutations of `data`, which has room for `max_size`
// bytes, and returns their size. The same seed makes the same one.
extern "C" __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t* data,
                                                                size_t size,
                                                                size_t max_size,
                                                                unsigned seed);
