// Does every array come back, whatever its type, shape and options, and is the streamed frame the same?
#include "floe/floe.hpp"
#include "fuzz/support.hpp"

namespace floe::fuzz {
namespace {

struct Task {
  DType dtype;
  Options options;
  std::uint64_t inner;  ///< Elements of one outermost entry.
  Bytes array;
};

Task task_from(Input input) {
  Task task;
  task.dtype = static_cast<DType>(1 + input.take<std::uint8_t>() % 12);
  std::vector<std::string_view> names = {""};
  for (const CodecInfo& codec : codecs()) {
    if (codec.word_bits == 8 * size_of(task.dtype)) names.push_back(codec.name);
  }
  task.options.codec = names[input.take<std::uint8_t>() % names.size()];
  const auto choices = input.take<std::uint8_t>();
  task.options.goal = static_cast<Goal>(choices % 3);
  task.options.checksum = (choices & 4) != 0;
  task.options.threads = 1 + (choices >> 3 & 1);
  task.options.segment_bytes = std::uint64_t{16384} << (choices >> 4 & 3);
  if (task.options.codec == "gfc") task.options.dimensionality = 1 + input.take<std::uint8_t>() % 32;
  task.inner = 1 + input.take<std::uint8_t>() % 7;
  const unsigned repetitions = 1 + input.take<std::uint8_t>();
  const Bytes pattern = input.rest();
  for (unsigned i = 0; i < repetitions && task.array.size() < (1 << 18); ++i)
    task.array.insert(task.array.end(), pattern.begin(), pattern.end());
  const std::size_t entry_bytes = task.inner * size_of(task.dtype);
  task.array.resize(task.array.size() / entry_bytes * entry_bytes);
  return task;
}

Bytes streamed(const Task& task) {
  Bytes frame;
  auto stream = Compressor::create(
      [&](std::span<const std::byte> bytes) {
        const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
        frame.insert(frame.end(), first, first + bytes.size());
        return Status{};
      },
      task.dtype, std::span(&task.inner, 1), task.options);
  require(static_cast<bool>(stream));
  const auto bytes = std::as_bytes(std::span(task.array));
  require(stream->write(bytes.first(bytes.size() / 3)).ok() &&
          stream->write(bytes.subspan(bytes.size() / 3)).ok() && stream->finish().ok());
  return frame;
}

void run(const Task& task) {
  Extent extent{{task.array.size() / size_of(task.dtype) / task.inner, task.inner}, 2};
  const auto frame = compress(std::as_bytes(std::span(task.array)), task.dtype, extent, task.options);
  require(static_cast<bool>(frame));
  const auto bound = max_compressed_size(task.dtype, extent, task.options);
  require(bound && frame->size() <= *bound);
  const Bytes stream_frame = streamed(task);
  require(std::ranges::equal(std::as_bytes(std::span(stream_frame)), *frame));

  const auto view = FrameView::parse(*frame);
  require(view && view->info().extent == extent);
  Bytes restored(task.array.size());
  require(view->decompress(std::as_writable_bytes(std::span(restored))).ok());
  require(restored == task.array);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run(floe::fuzz::task_from({data, size}));
  return 0;
}
