// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The order in which stretches are begun. Pure.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "writer/write_order.h"

namespace zpack {

// Returns the indexes of all stretches: in order, except that among the last
// `window` those that probably take much longer than the others come first, so
// that threads end at about the same time (R. L. Graham, Bounds on
// Multiprocessing Timing Anomalies, 1969). Not all are sorted, so that what is
// written first is begun soon, and an interrupted conversion can be resumed.
// Segments, which are read one after the other, keep their places.
std::vector<size_t> BeginOrder(std::span<const PlannedStretch> stretches,
                               size_t window);

}  // namespace zpack
