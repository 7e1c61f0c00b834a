// The module floe_cuda._floe_cuda: floe/cuda.hpp over addresses in memory of GPUs. Use floe.cuda instead.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../src/buffer.hpp"
#include "../../src/conversions.hpp"
#include "../../src/errors.hpp"
#include "calls.hpp"
#include "dlpack.hpp"
#include "floe/cuda_host.hpp"
#include "frames.hpp"
#include "known_arrays.hpp"
#include "memory.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

using Shape = std::vector<std::uint64_t>;

cuda::FrameKind kind_of(const std::string& dtype, const std::string& tree, std::uint64_t segment_bytes) {
  return {type_named(dtype), tree, segment_bytes};
}

bool supports(const std::string& dtype, const std::string& tree) {
  Options options;
  options.tree = tree;
  options.profile = Profile::gpu;
  return cuda::supports(type_named(dtype), options);
}

void decompress_at(std::uintptr_t frame, std::uint64_t frame_bytes, const std::string& dtype,
                   const std::string& tree, std::uint64_t segment_bytes, std::uint64_t first,
                   std::uint64_t count, std::uintptr_t room, std::uint64_t room_bytes, int device,
                   std::uintptr_t stream) {
  const cuda::FrameKind kind = kind_of(dtype, tree, segment_bytes);
  const nb::gil_scoped_release no_gil;
  const std::uint64_t workspace_bytes = cuda::decompress_workspace_size(room_bytes, 1, kind).value();
  decompress({frame, frame_bytes}, kind, {first, count}, workspace_bytes, {room, room_bytes},
             {device, stream});
}

/// Frames are tuples of address and bytes of a frame, and of its output.
std::vector<std::string> decompress_all_at(
    const std::vector<std::tuple<std::uintptr_t, std::uint64_t, std::uintptr_t, std::uint64_t>>& frames,
    const std::string& dtype, const std::string& tree, std::uint64_t segment_bytes, int device,
    std::uintptr_t stream) {
  std::vector<cuda::BatchItem> items;
  for (const auto& [frame, frame_bytes, room, room_bytes] : frames)
    items.push_back(
        {reinterpret_cast<const void*>(frame), frame_bytes, reinterpret_cast<void*>(room), room_bytes});
  const cuda::FrameKind kind = kind_of(dtype, tree, segment_bytes);
  std::vector<std::string> names;
  const nb::gil_scoped_release no_gil;
  for (const ErrorCode code : decompress_all(items, kind, {device, stream}))
    names.emplace_back(name_of(code));
  return names;
}

/// What a frame in memory of a device says of itself: `info` of a Reader, and the trees of its first segment.
nb::dict describe(std::uintptr_t frame, std::uint64_t bytes, int device, std::uintptr_t stream) {
  const auto read = [=](std::uint64_t offset, std::span<std::byte> part) -> Status {
    cudaError_t error = cudaMemcpyAsync(part.data(), reinterpret_cast<const void*>(frame + offset),
                                        part.size(), cudaMemcpyDeviceToHost, stream_of(stream));
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream_of(stream));
    if (error != cudaSuccess) return {ErrorCode::device_error, 0, cudaGetErrorString(error)};
    return {};
  };
  FrameInfo info;
  std::vector<std::string> trees;
  {
    const nb::gil_scoped_release no_gil;
    const CurrentDevice current(device);
    const Reader reader = Reader::open(read, bytes).value();
    info = reader.info();
    if (info.content == Content::array && info.segment_count > 0)
      trees = reader.segment(0).value().columns[0].trees;
  }
  nb::dict all = dict_of(info);
  all["trees"] = list_of(trees);
  return all;
}

void upload(nb::handle bytes, std::uintptr_t to, int device, std::uintptr_t stream) {
  const Buffer from(bytes, false);
  const nb::gil_scoped_release no_gil;
  const CurrentDevice current(device);
  check(cudaMemcpyAsync(reinterpret_cast<void*>(to), from.bytes().data(), from.bytes().size(),
                        cudaMemcpyHostToDevice, stream_of(stream)));
  check(cudaStreamSynchronize(stream_of(stream)));
}

void download(std::uintptr_t from, nb::handle room, int device, std::uintptr_t stream) {
  const Buffer to(room, true);
  const nb::gil_scoped_release no_gil;
  const CurrentDevice current(device);
  check(cudaMemcpyAsync(to.room().data(), reinterpret_cast<const void*>(from), to.room().size(),
                        cudaMemcpyDeviceToHost, stream_of(stream)));
  check(cudaStreamSynchronize(stream_of(stream)));
}

void copy(std::uintptr_t to, std::uintptr_t from, const Shape& counts, const Shape& to_strides,
          const Shape& from_strides, int device, std::uintptr_t stream) {
  if (counts.empty() || to_strides.size() + 1 != counts.size() || from_strides.size() != to_strides.size())
    throw nb::value_error("an axis has no stride");
  const nb::gil_scoped_release no_gil;
  copy_box(to, from, {counts, to_strides, from_strides}, device, stream);
}

void bind_memory(nb::module_& module) {
  nb::class_<Memory>(module, "Memory")
      .def(
          "__init__",
          [](Memory* self, std::uint64_t bytes, int device, std::uintptr_t stream, nb::object owner) {
            new (self) Memory(bytes, device, stream);
            self->keep_stream(std::move(owner));
          },
          nb::arg("bytes"), nb::arg("device"), nb::arg("stream"), nb::arg("stream_owner") = nb::none())
      .def_prop_ro("pointer",
                   [](const Memory& self) { return reinterpret_cast<std::uintptr_t>(self.data()); })
      .def_prop_ro("nbytes", &Memory::bytes)
      .def_prop_ro("device", &Memory::device);
  module.def("device_count", [] { return cuda::device_count().value(); });
  module.def("current_device", [] {
    int device = 0;
    check(cudaGetDevice(&device));
    return device;
  });
  module.def("device_of", &device_of, nb::arg("pointer"));
  module.def("wait_for_stream", &wait_for_stream, nb::arg("waiting"), nb::arg("other"), nb::arg("device"));
  module.def("upload", &upload, nb::arg("bytes"), nb::arg("to"), nb::arg("device"), nb::arg("stream"));
  module.def("download", &download, nb::arg("pointer"), nb::arg("room"), nb::arg("device"),
             nb::arg("stream"));
  module.def("copy", &copy, nb::arg("to"), nb::arg("pointer"), nb::arg("counts"), nb::arg("to_strides"),
             nb::arg("from_strides"), nb::arg("device"), nb::arg("stream"));
  module.def(
      "wait",
      [](int device, std::uintptr_t stream) {
        const nb::gil_scoped_release no_gil;
        const CurrentDevice current(device);
        check(cudaStreamSynchronize(stream_of(stream)));
      },
      nb::arg("device"), nb::arg("stream"));
  module.def("trim", &free_spare_memory);
}

}  // namespace
}  // namespace floe::python

NB_MODULE(_floe_cuda, module) {
  using namespace floe::python;
  register_errors();
  bind_memory(module);
  bind_dlpack(module);
  bind_known_arrays(module);
  bind_frames(module);
  module.def("version", [] { return std::string(floe::version()); });
  module.def("supports", &supports, nb::arg("dtype"), nb::arg("tree"));
  module.def("decompress_at", &decompress_at, nb::arg("frame"), nb::arg("frame_bytes"), nb::arg("dtype"),
             nb::arg("tree"), nb::arg("segment_bytes"), nb::arg("first"), nb::arg("count"), nb::arg("room"),
             nb::arg("room_bytes"), nb::arg("device"), nb::arg("stream"));
  module.def("decompress_all", &decompress_all_at, nb::arg("frames"), nb::arg("dtype"), nb::arg("tree"),
             nb::arg("segment_bytes"), nb::arg("device"), nb::arg("stream"));
  module.def("describe", &describe, nb::arg("frame"), nb::arg("nbytes"), nb::arg("device"),
             nb::arg("stream"));
}
