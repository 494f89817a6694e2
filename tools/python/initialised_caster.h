// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// pybind11 gives functions memory that nobody has initialised if they are
// called with Class.__new__(Class). This caster raises TypeError then. The
// caller has the interpreter's lock.

#pragma once

#include <pybind11/pybind11.h>

namespace pybind11::detail {

template <typename T>
struct InitialisedCaster : type_caster_base<T> {
  bool load(handle source, bool convert) {
    if (!isinstance<T>(source)) return false;
    auto* const made = reinterpret_cast<instance*>(source.ptr());
    if (!made->get_value_and_holder().holder_constructed()) {
      // Not 'false', for which pybind11 writes a message with the object's
      // repr.
      throw type_error("this object has no content; it was made by __new__");
    }
    return type_caster_base<T>::load(source, convert);
  }
};

}  // namespace pybind11::detail
