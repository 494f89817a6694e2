// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/bytes.h"

template class std::vector<uint8_t, zpack::UninitializedAllocator<uint8_t>>;
