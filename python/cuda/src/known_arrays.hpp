// Arrays of PyTorch and CuPy: where they lie, and their library's stream, in a fraction of a microsecond. All
// that is unusual of them is told by floe/_cuda_arrays.py.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include "calls.hpp"

namespace floe::python {

/// An array on a device, and the stream to work on.
struct KnownArray {
  DeviceArray array;
  DeviceStream queue;
  nanobind::object stream_owner;  ///< If the stream goes with it.
};

/// Of an array of a library that is known here, or of a View of floe/_cuda_arrays.py. `stream` is an address,
/// or None for the current one of the array's library; what the library has not finished comes before what is
/// enqueued there. Nothing for other arrays, for those that need to be asked more, and for what is an error.
std::optional<KnownArray> known_array(nanobind::handle array, nanobind::handle stream);

/// The address that a stream is given by; nothing for all but whole numbers.
std::optional<std::uintptr_t> address_of(nanobind::handle number);

void bind_known_arrays(nanobind::module_& module);

}  // namespace floe::python
