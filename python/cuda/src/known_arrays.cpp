#include "known_arrays.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../src/conversions.hpp"
#include "dlpack.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

/// Names of attributes and values of DLPack. They live as long as the process.
struct Names {
  static PyObject* of(const char* text) { return PyUnicode_InternFromString(text); }
  PyObject *requires_grad = of("requires_grad"), *is_neg = of("is_neg"), *dlpack = of("__dlpack__"),
           *data = of("data"), *ptr = of("ptr"), *device_id = of("device_id"), *dtype = of("dtype"),
           *shape = of("shape"), *is_contiguous = of("_c_contiguous"),
           *stream = PyTuple_Pack(1, of("stream")), *no_order = PyLong_FromLong(-1),
           *default_stream = PyLong_FromLong(1);  // as the protocol writes it
};
const Names& names() {
  static const Names all;
  return all;
}

/// An exception says that an array is not a usual one.
nb::object unless_raised(PyObject* object) {
  if (object == nullptr) PyErr_Clear();
  return nb::steal(object);
}

nb::object attribute(nb::handle object, PyObject* name) {
  return unless_raised(PyObject_GetAttr(object.ptr(), name));
}

enum class Library { pytorch, exchanging, cupy, view };

/// A type of arrays. It is never freed, as it is known by its address.
struct KnownType {
  PyTypeObject* type = nullptr;
  Library library{};
  const DLPackExchangeAPI* api = nullptr;
  PyObject* current_stream = nullptr;                    ///< CuPy's function.
  std::vector<std::pair<PyObject*, DType>> dtypes = {};  ///< Objects of NumPy that CuPy's arrays had.

  [[nodiscard]] std::optional<DType> known_dtype(nb::handle object) const {
    for (const auto& [known, dtype] : dtypes) {
      if (known == object.ptr()) return dtype;
    }
    return std::nullopt;
  }
  /// They are never freed, as they are known by their addresses: those of usual arrays are always the same.
  void learn(nb::object object, DType dtype) {
    if (dtypes.size() < 32 && object.is_valid() && !known_dtype(object))
      dtypes.emplace_back(object.release().ptr(), dtype);
  }
};

/// The interface of a type's own: one that is inherited may be wrong for what the heir adds.
const DLPackExchangeAPI* api_of(nb::handle type) {
  const nb::object capsule = unless_raised(PyMapping_GetItemString(
      unless_raised(PyObject_GetAttrString(type.ptr(), "__dict__")).ptr(), "__dlpack_c_exchange_api__"));
  if (!capsule.is_valid() || PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api") == 0) return nullptr;
  const auto* api =
      static_cast<const DLPackExchangeAPI*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (api != nullptr && api->version.major != 1) api = api->prev_api;
  const bool is_enough = api != nullptr && api->dltensor_from_py_object_no_sync != nullptr &&
                         api->current_work_stream != nullptr;
  return is_enough ? api : nullptr;
}

std::optional<KnownType> recognize(PyTypeObject* type) {
  const nb::handle object(reinterpret_cast<PyObject*>(type));
  const auto module = nb::cast<std::string>(nb::str(object.attr("__module__"))),
             name = nb::cast<std::string>(nb::str(object.attr("__name__")));
  if (const DLPackExchangeAPI* const api = api_of(object))
    return KnownType{type, module.rfind("torch", 0) == 0 ? Library::pytorch : Library::exchanging, api};
  if (module == "cupy" && name == "ndarray") {
    nb::object current = nb::module_::import_("cupy").attr("cuda").attr("get_current_stream");
    return KnownType{type, Library::cupy, nullptr, current.release().ptr()};
  }
  if (module == "floe._cuda_arrays" && name == "View") return KnownType{type, Library::view};
  return std::nullopt;
}

/// By the GIL, one thread at a time is here. Types stay where they are: a call of Python may let others in.
KnownType* known_type_of(nb::handle array) {
  static auto* const all = new std::deque<KnownType>;
  PyTypeObject* const type = Py_TYPE(array.ptr());
  for (KnownType& known : *all) {
    if (known.type == type) return &known;
  }
  try {
    const auto found = recognize(type);
    if (!found) return nullptr;
    Py_INCREF(reinterpret_cast<PyObject*>(type));
    all->push_back(*found);
    return &all->back();
  } catch (const nb::python_error&) {
    return nullptr;
  }
}

std::optional<KnownArray> known_tensor(nb::handle array, nb::handle stream, const KnownType& type) {
  if (type.library == Library::pytorch) {
    const Names& name = names();
    PyObject* const self = array.ptr();
    if (attribute(array, name.requires_grad).ptr() != Py_False ||
        unless_raised(PyObject_VectorcallMethod(name.is_neg, &self, 1, nullptr)).ptr() != Py_False)
      return std::nullopt;
  }
  DLTensor tensor{};
  if (type.api->dltensor_from_py_object_no_sync(array.ptr(), &tensor) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto found = array_of(tensor);
  void* current = nullptr;
  if (!found ||
      type.api->current_work_stream(tensor.device.device_type, tensor.device.device_id, &current) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto handle = reinterpret_cast<std::uintptr_t>(current);
  if (!stream.is_none() && address_of(stream) != handle) return std::nullopt;  // work must be waited for
  return KnownArray{*found, {tensor.device.device_id, handle}, {}};
}

/// An array on CuPy's own stream, by its attributes: `__dlpack__` asks the driver, and allocates. Nothing for
/// arrays of which DLPack has to be asked, as of types that were not seen before.
std::optional<DeviceArray> read_cupy_array(nb::handle array, const KnownType& type, int& device) {
  const Names& name = names();
  const auto dtype = type.known_dtype(attribute(array, name.dtype));
  if (!dtype || attribute(array, name.is_contiguous).ptr() != Py_True) return std::nullopt;
  const nb::object memory = attribute(array, name.data), shape = attribute(array, name.shape);
  if (!memory.is_valid() || !shape.is_valid() || PyTuple_CheckExact(shape.ptr()) == 0) return std::nullopt;
  const auto address = address_of(attribute(memory, name.ptr));
  const auto number = address_of(attribute(memory, name.device_id));
  const Py_ssize_t rank = PyTuple_Size(shape.ptr());
  if (!address || !number || rank > static_cast<Py_ssize_t>(max_rank)) return std::nullopt;
  device = static_cast<int>(*number);
  DeviceArray found{*address, size_of(*dtype), *dtype, {}};
  found.extent.rank = static_cast<std::uint32_t>(rank);
  for (Py_ssize_t axis = 0; axis < rank; ++axis) {
    const auto size = address_of(PyTuple_GetItem(shape.ptr(), axis));
    if (!size) return std::nullopt;
    found.extent.size[static_cast<std::size_t>(axis)] = *size;
    found.bytes *= *size;
  }
  return found;
}

std::optional<KnownArray> known_cupy_array(nb::handle array, nb::handle stream, KnownType& type) {
  const Names& name = names();
  std::optional<std::uintptr_t> handle = address_of(stream);
  nb::object current;
  nb::handle order = handle == 0 ? name.default_stream : stream;
  if (stream.is_none()) {
    order = name.no_order;  // it is CuPy's own stream
    current = unless_raised(PyObject_CallNoArgs(type.current_stream));
    if (!current.is_valid()) return std::nullopt;
    handle = address_of(attribute(current, name.ptr));
    if (!handle) return std::nullopt;
    int device = 0;
    if (const auto found = read_cupy_array(array, type, device))
      return KnownArray{*found, {device, *handle}, std::move(current)};
  }
  PyObject* arguments[] = {array.ptr(), order.ptr()};
  const nb::object capsule = unless_raised(PyObject_VectorcallMethod(name.dlpack, arguments, 1, name.stream));
  if (!capsule.is_valid()) return std::nullopt;
  const Borrowed borrowed(capsule);
  const auto found = array_of(borrowed.get());  // which `array` keeps
  if (!found) return std::nullopt;
  type.learn(attribute(array, name.dtype), found->dtype);
  return KnownArray{*found, {borrowed.get().device.device_id, *handle}, std::move(current)};
}

std::optional<KnownArray> array_of_view(nb::handle view, nb::handle stream) {
  const auto handle = address_of(stream);
  const auto shape = nb::cast<std::vector<std::uint64_t>>(view.attr("shape"));
  if (!handle || shape.size() > max_rank) return std::nullopt;
  return KnownArray{
      {nb::cast<std::uintptr_t>(view.attr("pointer")), nb::cast<std::uint64_t>(view.attr("nbytes")),
       type_named(nb::cast<std::string>(view.attr("dtype"))), extent_of(shape)},
      {nb::cast<int>(view.attr("device")), *handle},
      {}};
}

}  // namespace

std::optional<std::uintptr_t> address_of(nb::handle number) {
  if (!number.is_valid() || PyLong_CheckExact(number.ptr()) == 0) return std::nullopt;
  void* const address = PyLong_AsVoidPtr(number.ptr());
  if (address == nullptr && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return reinterpret_cast<std::uintptr_t>(address);
}

std::optional<KnownArray> known_array(nb::handle array, nb::handle stream) {
  KnownType* const type = known_type_of(array);
  if (type == nullptr || !(stream.is_none() || address_of(stream))) return std::nullopt;
  switch (type->library) {
    case Library::pytorch:
    case Library::exchanging:
      return known_tensor(array, stream, *type);
    case Library::cupy:
      return known_cupy_array(array, stream, *type);
    case Library::view:
      return array_of_view(array, stream);
  }
  return std::nullopt;
}

void bind_known_arrays(nb::module_& module) {
  module.def(
      "known_array",
      [](nb::handle array, nb::handle stream) -> nb::object {
        const auto known = known_array(array, stream);
        if (!known) return nb::none();
        const Extent& extent = known->array.extent;
        return nb::make_tuple(
            known->array.data, known->queue.device, std::string(name_of(known->array.dtype)),
            nb::tuple(nb::cast(std::vector(extent.size.begin(), extent.size.begin() + extent.rank))));
      },
      nb::arg("array").none(), nb::arg("stream").none());
}

}  // namespace floe::python
