#include "dlpack.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

namespace nb = nanobind;

namespace floe::python {
namespace {

constexpr const char* fresh_name = "dltensor";
constexpr const char* used_name = "used_dltensor";
constexpr int cuda_device = 2, managed_by_cuda = 13;

/// Types of DLPack: codes and bits.
std::optional<DType> type_of(const DLDataType& type) {
  constexpr int is_signed = 0, is_unsigned = 1, is_float = 2, is_bfloat = 4, is_bool = 6;
  if (type.lanes != 1) return std::nullopt;
  switch (type.code << 8 | type.bits) {
    case is_float << 8 | 64:
      return DType::f64;
    case is_float << 8 | 32:
      return DType::f32;
    case is_float << 8 | 16:
      return DType::f16;
    case is_bfloat << 8 | 16:
      return DType::bf16;
    case is_signed << 8 | 8:
      return DType::i8;
    case is_signed << 8 | 16:
      return DType::i16;
    case is_signed << 8 | 32:
      return DType::i32;
    case is_signed << 8 | 64:
      return DType::i64;
    case is_unsigned << 8 | 8:
      return DType::u8;
    case is_unsigned << 8 | 16:
      return DType::u16;
    case is_unsigned << 8 | 32:
      return DType::u32;
    case is_unsigned << 8 | 64:
      return DType::u64;
    case is_bool << 8 | 8:
      return DType::boolean;
    default:
      return std::nullopt;
  }
}

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

Borrowed::Borrowed(nb::handle capsule) {
  void* const tensor = PyCapsule_GetPointer(capsule.ptr(), fresh_name);
  if (tensor == nullptr) nb::raise_python_error();
  if (PyCapsule_SetName(capsule.ptr(), used_name) != 0) nb::raise_python_error();
  tensor_ = static_cast<DLManagedTensor*>(tensor);
}

std::optional<DeviceArray> array_of(const DLTensor& tensor) {
  const auto dtype = type_of(tensor.dtype);
  const bool is_there =
      tensor.device.device_type == cuda_device || tensor.device.device_type == managed_by_cuda;
  if (!is_there || !dtype || tensor.ndim < 0 || tensor.ndim > static_cast<int>(max_rank)) return std::nullopt;
  DeviceArray array{
      reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset, size_of(*dtype), *dtype, {}};
  array.extent.rank = static_cast<std::uint32_t>(tensor.ndim);
  std::int64_t stride = 1;
  bool is_in_order = true;
  for (std::int32_t axis = tensor.ndim; axis-- > 0; stride *= tensor.shape[axis]) {
    const std::int64_t size = tensor.shape[axis];
    if (tensor.strides != nullptr && size > 1 && tensor.strides[axis] != stride) is_in_order = false;
    array.extent.size[static_cast<std::size_t>(axis)] = static_cast<std::uint64_t>(size);
  }
  if (!is_in_order && stride != 0) return std::nullopt;
  array.bytes *= static_cast<std::uint64_t>(stride);
  return array;
}

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
