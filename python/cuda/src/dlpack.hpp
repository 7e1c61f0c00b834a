// Arrays from and to other libraries, by DLPack.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "calls.hpp"
#include "dlpack_abi.hpp"

namespace floe::python {

/// An array of another library, which it keeps alive.
class Borrowed {
 public:
  /// Throws where it is no capsule of an array, or one that somebody has taken.
  explicit Borrowed(nanobind::handle capsule);
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    if (tensor_->deleter != nullptr) tensor_->deleter(tensor_);
  }

  [[nodiscard]] const DLTensor& get() const { return tensor_->dl_tensor; }
  [[nodiscard]] std::vector<std::int64_t> shape() const { return {get().shape, get().shape + get().ndim}; }
  /// In elements; empty if they lie one behind the other.
  [[nodiscard]] std::vector<std::int64_t> strides() const {
    if (get().strides == nullptr) return {};
    return {get().strides, get().strides + get().ndim};
  }

 private:
  DLManagedTensor* tensor_ = nullptr;
};

/// Nothing if it is not on a GPU, not contiguous, of a type that floe does not have or of too many
/// dimensions.
std::optional<DeviceArray> array_of(const DLTensor& tensor);

void bind_dlpack(nanobind::module_& module);

}  // namespace floe::python
