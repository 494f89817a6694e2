// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A source without its damaged objects, so that they are missing rather than
// damaged to everything that reads it. As thread-safe as the source.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "object/object_source.h"

namespace zpack {

// The damaged objects of a source, and why each cannot be read.
using DamagedObjects = std::map<ObjectId, std::string>;

// `damaged` must outlive the result, and so must a `source` that the result
// does not own.
std::unique_ptr<ObjectSource> WithoutDamaged(ObjectSource& source,
                                             const DamagedObjects& damaged);
std::unique_ptr<ObjectSource> WithoutDamaged(
    std::unique_ptr<ObjectSource> source, const DamagedObjects& damaged);

}  // namespace zpack
