// Does every array come back, whatever its type, shape and options, and is the frame of its pieces the same?
#include "fuzz/frames.hpp"

namespace floe::fuzz {
namespace {

struct Work {
  Choice choice;
  std::uint64_t inner = 1;  ///< Elements of one outermost entry.
  Bytes array;
};

Work work_from(Input input) {
  Work work;
  work.choice = take_choice(input);
  work.inner = 1 + input.take<std::uint8_t>() % 7;
  const unsigned repetitions = 1 + input.take<std::uint8_t>();
  const Bytes pattern = input.rest();
  for (unsigned i = 0; i < repetitions && work.array.size() < (1 << 18); ++i)
    work.array.insert(work.array.end(), pattern.begin(), pattern.end());
  const std::size_t entry_bytes = work.inner * size_of(work.choice.dtype);
  work.array.resize(work.array.size() / entry_bytes * entry_bytes);
  return work;
}

Bytes written(const Work& work, const Options& options) {
  Bytes frame;
  auto writer = Writer::create(sink_to(frame), work.choice.dtype, std::span(&work.inner, 1), options);
  require(static_cast<bool>(writer));
  const auto bytes = view_of(work.array);
  require(writer->write(bytes.first(bytes.size() / 3)).ok() &&
          writer->write(bytes.subspan(bytes.size() / 3)).ok() && writer->finish().ok());
  return frame;
}

void run_round_trip(const Work& work) {
  const DType dtype = work.choice.dtype;
  Options options = work.choice.options;
  options.tree = work.choice.tree;
  const Extent extent{{work.array.size() / size_of(dtype) / work.inner, work.inner}, 2};
  const auto frame = compress(view_of(work.array), dtype, extent, options);
  require(static_cast<bool>(frame));
  const auto bound = max_compressed_size(dtype, extent, options);
  require(bound && frame->size() <= *bound);
  const Bytes pieces_frame = written(work, options);
  require(std::ranges::equal(view_of(pieces_frame), *frame));

  const auto reader = Reader::open(*frame);
  require(reader && reader->info().extent == extent);
  Bytes restored(work.array.size());
  require(reader->decompress(room_of(restored)).ok());
  require(restored == work.array);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_round_trip(floe::fuzz::work_from({data, size}));
  return 0;
}
