#include "dlpack.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "dlpack_abi.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

constexpr const char* fresh_name = "dltensor";
constexpr const char* used_name = "used_dltensor";
constexpr int cuda_device = 2;

/// An array of another library, which it keeps alive.
class Borrowed {
 public:
  explicit Borrowed(nb::handle capsule) {
    void* const tensor = PyCapsule_GetPointer(capsule.ptr(), fresh_name);
    if (tensor == nullptr) nb::raise_python_error();
    if (PyCapsule_SetName(capsule.ptr(), used_name) != 0) nb::raise_python_error();
    tensor_ = static_cast<DLManagedTensor*>(tensor);
  }
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

/// What is handed out: an array, and the object that owns its memory.
struct Lent {
  DLManagedTensor tensor{};
  std::vector<std::int64_t> shape, strides;
  PyObject* owner = nullptr;
};

void give_back(DLManagedTensor* tensor) {
  const std::unique_ptr<Lent> lent(static_cast<Lent*>(tensor->manager_ctx));
  if (Py_IsInitialized() == 0) return;
  const nb::gil_scoped_acquire gil;
  Py_DECREF(lent->owner);
}

void give_back_unused(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, fresh_name) == 0) return;  // somebody has taken it
  give_back(static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, fresh_name)));
}

nb::object lend(nb::handle owner, std::uintptr_t data, int device, int code, int bits,
                std::vector<std::int64_t> shape) {
  auto lent = std::make_unique<Lent>();
  lent->shape = std::move(shape);
  lent->strides.resize(lent->shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = lent->shape.size(); axis-- > 0; stride *= lent->shape[axis])
    lent->strides[axis] = stride;
  DLTensor& tensor = lent->tensor.dl_tensor;
  tensor.data = reinterpret_cast<void*>(data);
  tensor.device = {cuda_device, device};
  tensor.ndim = static_cast<std::int32_t>(lent->shape.size());
  tensor.dtype = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1};
  tensor.shape = lent->shape.data();
  tensor.strides = lent->strides.data();
  lent->tensor.manager_ctx = lent.get();
  lent->tensor.deleter = &give_back;
  PyObject* const capsule = PyCapsule_New(&lent->tensor, fresh_name, &give_back_unused);
  if (capsule == nullptr) nb::raise_python_error();
  Py_INCREF(owner.ptr());
  lent.release()->owner = owner.ptr();
  return nb::steal(capsule);
}

}  // namespace

void bind_dlpack(nb::module_& module) {
  nb::class_<Borrowed>(module, "Borrowed")
      .def(nb::init<nb::handle>(), nb::arg("capsule"))
      .def_prop_ro("pointer",
                   [](const Borrowed& self) {
                     return reinterpret_cast<std::uintptr_t>(self.get().data) + self.get().byte_offset;
                   })
      .def_prop_ro("device",
                   [](const Borrowed& self) {
                     return std::tuple(self.get().device.device_type, self.get().device.device_id);
                   })
      .def_prop_ro("dtype",
                   [](const Borrowed& self) {
                     const DLDataType type = self.get().dtype;
                     return std::tuple<int, int, int>(type.code, type.bits, type.lanes);
                   })
      .def_prop_ro("shape", &Borrowed::shape)
      .def_prop_ro("strides", &Borrowed::strides);
  module.def("lend", &lend, nb::arg("owner"), nb::arg("pointer"), nb::arg("device"), nb::arg("code"),
             nb::arg("bits"), nb::arg("shape"));
}

}  // namespace floe::python
