#include "frames.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "frame_spec.hpp"
#include "known_arrays.hpp"
#include "memory.hpp"
#include "plain_calls.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

/// A frame, in memory that may be longer.
class FrameMemory : public Memory {
 public:
  FrameMemory(std::uint64_t bytes, DeviceStream queue, std::shared_ptr<const FrameSpec> spec)
      : Memory(bytes, queue.device, queue.stream), spec_(std::move(spec)) {}
  [[nodiscard]] const std::shared_ptr<const FrameSpec>& spec() const { return spec_; }
  /// The frame is lost, and another one comes. With the GIL.
  void replace(std::shared_ptr<const FrameSpec> spec) {
    size = 0;
    if (spec == spec_) return;
    spec_ = std::move(spec);
    kind.reset();
  }
  [[nodiscard]] DeviceBytes room() const { return {reinterpret_cast<std::uintptr_t>(data()), bytes()}; }

  std::uint64_t size = 0;  ///< Of the frame.
  nb::object kind;         ///< What Python keeps of what the spec says, if it was asked for.

 private:
  std::shared_ptr<const FrameSpec> spec_;
};

/// Null for None. nanobind looks types up by their names; this type's object remains.
FrameMemory* frame_of(nb::handle object) {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(nb::type<FrameMemory>().ptr());
  if (object.is_none()) return nullptr;
  if (Py_TYPE(object.ptr()) != type) throw nb::type_error("not a frame");
  return nb::inst_ptr<FrameMemory>(object);
}

template <class Made>
nb::object given_away(std::unique_ptr<Made> made) {
  return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

/// Whether a frame of up to so many bytes can be made in the memory of this one, from an array elsewhere.
bool has_room(const FrameMemory& frame, std::uint64_t bytes, const DeviceArray& array, DeviceStream queue) {
  if (frame.device() != queue.device)
    throw Error({ErrorCode::invalid_argument, 0, "out is a frame on another GPU"});
  const auto [begin, size] = frame.room();
  if (begin < array.data + array.bytes && array.data < begin + size)
    throw Error({ErrorCode::invalid_argument, 0, "out is the memory of the array"});
  return size >= bytes;
}

/// compress(array, stream, owner of the stream, tree, checksum, bytes of segments, memory of a frame): in
/// that memory, which is returned then, if it is not None and has room. None for arrays that are not known.
nb::object compress_array(PyObject* const* arguments) {
  const nb::handle array = arguments[0], stream = arguments[1], owner = arguments[2], out = arguments[6];
  auto known = known_array(array, stream);
  if (!known) return nb::none();
  const auto& [from, queue, owner_of_current] = *known;
  const std::string_view tree = text_of(arguments[3]);
  const bool checksum = flag_of(arguments[4]);
  const std::uint64_t segment_bytes = number_of(arguments[5]);
  FrameMemory* frame = frame_of(out);
  std::shared_ptr<const FrameSpec> spec;
  if (frame != nullptr && frame->spec()->is_for(from, tree, checksum, segment_bytes))
    spec = frame->spec();
  else
    spec = std::make_shared<const FrameSpec>(from, tree, checksum, segment_bytes);
  if (frame != nullptr && !has_room(*frame, spec->room(), from, queue)) frame = nullptr;
  if (frame != nullptr) frame->replace(spec);
  std::unique_ptr<FrameMemory> made;
  {
    const nb::gil_scoped_release no_gil;
    const CurrentDevice current(queue.device);
    if (frame == nullptr) {
      made = std::make_unique<FrameMemory>(spec->room(), queue, spec);
      frame = made.get();
    }
    frame->size = compress(from, spec->options(), spec->encoding_bytes(), frame->room(), queue);
  }
  if (!made) return nb::borrow(out);
  made->keep_stream(owner_of_current.is_valid() ? owner_of_current : nb::borrow(owner));
  return given_away(std::move(made));
}

/// decompress(memory of a frame, out, stream): all of a frame on its device to `out`, which is returned, or
/// to new memory if `out` is None. None for arrays that are not known, or not as the frame's, and for objects
/// of streams.
nb::object decompress_frame(PyObject* const* arguments) {
  const nb::handle out = arguments[1], stream = arguments[2];
  const FrameMemory* const frame = frame_of(arguments[0]);
  if (frame == nullptr) throw nb::type_error("not a frame");
  const std::shared_ptr<const FrameSpec> spec = frame->spec();
  DeviceStream queue{frame->device(), 0};
  DeviceBytes room{0, spec->bytes()};
  std::unique_ptr<Memory> made;
  if (out.is_none()) {
    const auto handle = stream.is_none() ? 0 : address_of(stream);
    if (!handle) return nb::none();
    queue.stream = *handle;
    made = std::make_unique<Memory>(room.bytes, queue.device, queue.stream);
    room.data = reinterpret_cast<std::uintptr_t>(made->data());
  } else {
    const auto known = known_array(out, stream);
    if (!known || !spec->holds(known->array) || known->queue.device != queue.device) return nb::none();
    queue = known->queue;
    room.data = known->array.data;
  }
  if (room.bytes > 0) {
    const std::uint64_t workspace_bytes = spec->decoding_bytes();
    const nb::gil_scoped_release no_gil;
    decompress({frame->room().data, frame->size}, spec->kind(), {0, spec->elements()}, workspace_bytes, room,
               queue);
  }
  return made ? given_away(std::move(made)) : nb::borrow(out);
}

/// A copy in memory of its own size, by the stream of the frame unless there is another one.
nb::object copy_frame(const FrameMemory& frame, nb::handle stream, nb::object stream_owner) {
  if (stream.is_none()) stream_owner = frame.stream_owner();
  const DeviceStream queue{frame.device(),
                           stream.is_none() ? frame.stream() : nb::cast<std::uintptr_t>(stream)};
  std::unique_ptr<FrameMemory> made;
  {
    const nb::gil_scoped_release no_gil;
    const CurrentDevice current(queue.device);
    made = std::make_unique<FrameMemory>(frame.size, queue, frame.spec());
    made->size = frame.size;
    check(cudaMemcpyAsync(made->data(), frame.data(), frame.size, cudaMemcpyDeviceToDevice,
                          stream_of(queue.stream)));
    check(cudaStreamSynchronize(stream_of(queue.stream)));
  }
  made->keep_stream(std::move(stream_owner));
  return given_away(std::move(made));
}

/// Type, shape, number of elements, tree and bytes of segments.
nb::tuple contents_of(const FrameMemory& frame) {
  const FrameSpec& spec = *frame.spec();
  const Extent& extent = spec.extent();
  nb::list shape;
  for (std::uint32_t axis = 0; axis < extent.rank; ++axis) shape.append(extent.size[axis]);
  return nb::make_tuple(std::string(name_of(spec.dtype())), nb::tuple(shape), spec.elements(),
                        std::string(spec.options().tree), spec.options().segment_bytes);
}

}  // namespace

void bind_frames(nb::module_& module) {
  nb::class_<FrameMemory, Memory>(module, "FrameMemory")
      .def_ro("size", &FrameMemory::size)
      .def_prop_rw(
          "kind", [](const FrameMemory& self) { return self.kind.is_valid() ? self.kind : nb::none(); },
          [](FrameMemory& self, nb::object kind) { self.kind = std::move(kind); })
      .def_prop_ro("contents", &contents_of)
      .def("shrunk", &copy_frame, nb::arg("stream").none(), nb::arg("stream_owner").none());
  static PyMethodDef functions[] = {
      {"compress", python_function(&called<compress_array, 7>), METH_FASTCALL, nullptr},
      {"decompress", python_function(&called<decompress_frame, 3>), METH_FASTCALL, nullptr},
      {nullptr, nullptr, 0, nullptr}};
  if (PyModule_AddFunctions(module.ptr(), functions) != 0) nb::raise_python_error();
}

}  // namespace floe::python
