// Bytes of Python objects: arrays, bytes, memoryviews and all else that has the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <span>

namespace floe::python {

/// The bytes of an object, which it keeps alive and in place. They must be contiguous.
class Buffer {
 public:
  /// Throws nb::python_error where the object has no such bytes.
  Buffer(nanobind::handle object, bool is_written) {
    if (PyObject_GetBuffer(object.ptr(), &view_, is_written ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0)
      nanobind::raise_python_error();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }

  [[nodiscard]] std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }
  [[nodiscard]] std::span<std::byte> room() const {
    return {static_cast<std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
};

}  // namespace floe::python
