#include "frames.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "known_arrays.hpp"
#include "memory.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

/// What is known of a frame that was made here.
struct Contents {
  DType dtype{};
  Extent extent;
  std::uint64_t bytes = 0;  ///< Of the array.
  std::string tree;         ///< Empty if the planner chose.
  std::uint64_t segment_bytes = 0;
};

/// A frame, in memory that may be longer.
class FrameMemory : public Memory {
 public:
  FrameMemory(std::uint64_t bytes, Place place, Contents contents)
      : Memory(bytes, place.device, place.stream), contents_(std::move(contents)) {}
  [[nodiscard]] const Contents& contents() const { return contents_; }
  /// Of a frame of which nothing is left.
  void replace(Contents contents) {
    contents_ = std::move(contents);
    size = 0;
  }
  [[nodiscard]] DeviceBytes room() const { return {reinterpret_cast<std::uintptr_t>(data()), bytes()}; }

  std::uint64_t size = 0;  ///< Of the frame.

 private:
  Contents contents_;
};

template <class Made>
nb::object given_away(std::unique_ptr<Made> made) {
  return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

/// Whether a frame of up to so many bytes can be made in the memory of this one, from an array elsewhere.
bool has_room(const FrameMemory& frame, std::uint64_t bytes, const DeviceArray& array, Place place) {
  if (frame.device() != place.device)
    throw Error({ErrorCode::invalid_argument, 0, "out is a frame on another GPU"});
  const auto [begin, size] = frame.room();
  if (begin < array.data + array.bytes && array.data < begin + size)
    throw Error({ErrorCode::invalid_argument, 0, "out is the memory of the array"});
  return size >= bytes;
}

/// In the memory of `out`, which is returned then, if that is a frame with room enough. None for arrays that
/// are not known.
nb::object compress_array(nb::handle array, nb::handle stream, nb::object stream_owner,
                          const std::string& tree, bool checksum, std::uint64_t segment_bytes,
                          nb::handle out) {
  auto known = known_array(array, stream);
  if (!known) return nb::none();
  const auto& [from, place, owner_of_current] = *known;
  if (owner_of_current.is_valid()) stream_owner = owner_of_current;
  Options options;
  options.tree = tree;
  options.checksum = checksum;
  options.segment_bytes = segment_bytes;
  options.profile = Profile::gpu;
  const std::uint64_t room = max_compressed_size(from.dtype, from.extent, options).value();
  Contents contents{from.dtype, from.extent, from.bytes, tree, segment_bytes};
  auto* frame = out.is_none() ? nullptr : nb::cast<FrameMemory*>(out);
  if (frame != nullptr && !has_room(*frame, room, from, place)) frame = nullptr;
  std::unique_ptr<FrameMemory> made;
  {
    const nb::gil_scoped_release no_gil;
    const CurrentDevice current(place.device);
    if (frame != nullptr) {
      frame->replace(std::move(contents));
    } else {
      made = std::make_unique<FrameMemory>(room, place, std::move(contents));
      frame = made.get();
    }
    frame->size = compress(from, options, frame->room(), place);
  }
  if (!made) return nb::borrow(out);
  made->keep_stream(std::move(stream_owner));
  return given_away(std::move(made));
}

/// Decodes all of a frame on the frame's device to `out`, and returns that, or to new memory if `out` is
/// None. None for arrays that are not known, or not as the frame's, and for objects of streams.
nb::object decompress_frame(const FrameMemory& frame, nb::handle out, nb::handle stream) {
  const Contents& contents = frame.contents();
  Place place{frame.device(), 0};
  DeviceBytes room{0, contents.bytes};
  std::unique_ptr<Memory> made;
  if (out.is_none()) {
    const auto handle = stream.is_none() ? 0 : address_of(stream);
    if (!handle) return nb::none();
    place.stream = *handle;
    made = std::make_unique<Memory>(room.bytes, place.device, place.stream);
    room.data = reinterpret_cast<std::uintptr_t>(made->data());
  } else {
    const auto known = known_array(out, stream);
    if (!known || known->array.dtype != contents.dtype || known->array.extent != contents.extent ||
        known->place.device != place.device)
      return nb::none();
    place = known->place;
    room.data = known->array.data;
  }
  if (room.bytes > 0) {
    const nb::gil_scoped_release no_gil;
    const std::uint64_t elements = contents.bytes / size_of(contents.dtype);
    decompress({frame.room().data, frame.size}, {contents.dtype, contents.tree, contents.segment_bytes},
               {0, elements}, room, place);
  }
  return made ? given_away(std::move(made)) : nb::borrow(out);
}

/// A copy in memory of its own size, by the stream of the frame unless there is another one.
nb::object copy_frame(const FrameMemory& frame, nb::handle stream, nb::object stream_owner) {
  if (stream.is_none()) stream_owner = frame.stream_owner();
  const Place place{frame.device(), stream.is_none() ? frame.stream() : nb::cast<std::uintptr_t>(stream)};
  std::unique_ptr<FrameMemory> made;
  {
    const nb::gil_scoped_release no_gil;
    const CurrentDevice current(place.device);
    made = std::make_unique<FrameMemory>(frame.size, place, frame.contents());
    made->size = frame.size;
    check(cudaMemcpyAsync(made->data(), frame.data(), frame.size, cudaMemcpyDeviceToDevice,
                          stream_of(place.stream)));
    check(cudaStreamSynchronize(stream_of(place.stream)));
  }
  made->keep_stream(std::move(stream_owner));
  return given_away(std::move(made));
}

/// Type, shape, number of elements, tree and bytes of segments.
nb::tuple contents_of(const FrameMemory& frame) {
  const Contents& contents = frame.contents();
  nb::list shape;
  for (std::uint32_t axis = 0; axis < contents.extent.rank; ++axis) shape.append(contents.extent.size[axis]);
  return nb::make_tuple(std::string(name_of(contents.dtype)), nb::tuple(shape),
                        contents.bytes / size_of(contents.dtype), contents.tree, contents.segment_bytes);
}

}  // namespace

void bind_frames(nb::module_& module) {
  nb::class_<FrameMemory, Memory>(module, "FrameMemory")
      .def_ro("size", &FrameMemory::size)
      .def_prop_ro("contents", &contents_of)
      .def("shrunk", &copy_frame, nb::arg("stream").none(), nb::arg("stream_owner").none());
  module.def("compress", &compress_array, nb::arg("array").none(), nb::arg("stream").none(),
             nb::arg("stream_owner").none(), nb::arg("tree"), nb::arg("checksum"), nb::arg("segment_bytes"),
             nb::arg("out").none());
  module.def("decompress", &decompress_frame, nb::arg("frame"), nb::arg("out").none(),
             nb::arg("stream").none());
}

}  // namespace floe::python
