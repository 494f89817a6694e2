// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What every fuzz target defines: libFuzzer's entry point. It must return for
// any input, without a crash, a hang, or memory out of proportion.

#pragma once

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
