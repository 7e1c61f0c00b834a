// What do checksums cost of compressing and decompressing? checksum_cost [--seconds S] [--codec CODEC]
// ARRAY... compresses and decompresses with and without them in turn, in one thread, and prints the rows of a
// table of docs/benchmarks/cpu.md: medians over the arrays. The instruction set is the one that FLOE_ISA
// names. Arrays are raw files with names such as x_f32_721x1440.bin, repeated to each size or cut.
#include "in_turn.hpp"

namespace floe::bench {
namespace {

constexpr std::size_t sizes[] = {std::size_t{256} << 10, std::size_t{256} << 20};
constexpr double shortest_run_seconds = 2e-4;  // shorter work is repeated within a run

struct Costs {
  double compress, decompress;  ///< Time with checksums over time without them, less 1.
};

/// What `with` takes more than `without`.
template <class Work>
double cost(const Work& work, double seconds) {
  work(true);
  const int repetitions = 1 + static_cast<int>(shortest_run_seconds / seconds_of([&] { work(false); }, 1));
  return median_of_pairs(
      [&] {
        const double with = seconds_of([&] { work(true); }, repetitions),
                     without = seconds_of([&] { work(false); }, repetitions);
        return with / without - 1;
      },
      seconds);
}

Costs measure(std::string_view codec, const Array& array, std::size_t size, double seconds) {
  const Bytes content = repeated(array.content, size);
  const auto extent = Extent::linear(size / size_of(array.dtype));
  Options options[2];
  Bytes frames[2];
  DecodeOptions decode_options;
  decode_options.threads = 1;
  for (const bool checksum : {false, true}) {
    options[checksum].tree = codec;
    options[checksum].threads = 1;
    options[checksum].checksum = checksum;
    frames[checksum].resize(max_compressed_size(array.dtype, extent, options[checksum]).value());
  }
  std::size_t frame_bytes[2];
  Costs costs{};
  const auto compress = [&](bool checksum) {
    frame_bytes[checksum] =
        compress_into(frames[checksum], content, array.dtype, extent, options[checksum]).value();
  };
  compress(false);
  costs.compress = cost(compress, seconds);
  Bytes decoded(size);
  const auto decompress = [&](bool checksum) {
    const auto reader = Reader::open(std::span(frames[checksum]).first(frame_bytes[checksum]));
    if (!reader->decompress(decoded, decode_options).ok()) fail("a frame cannot be decoded");
  };
  costs.decompress = cost(decompress, seconds);
  if (decoded != content) fail("an array did not come back");
  return costs;
}

void print_costs(const char* codec, const Arguments& arguments) {
  std::printf("| %s | %s |", codec, std::string(instruction_set()).c_str());
  for (const std::size_t size : sizes) {
    std::vector<double> compress, decompress;
    for (const Array& array : arguments.arrays) {
      if (!array.fits(codec)) continue;
      const Costs costs = measure(codec, array, size, arguments.seconds);
      compress.push_back(100 * costs.compress);
      decompress.push_back(100 * costs.decompress);
    }
    if (!compress.empty()) std::printf(" %.1f %% | %.1f %% |", median(compress), median(decompress));
    std::fflush(stdout);
  }
  std::printf("\n");
}

}  // namespace
}  // namespace floe::bench

int main(int argument_count, char** texts) {
  const floe::bench::Arguments arguments(argument_count, texts);
  for (const char* const codec : floe::bench::codecs) {
    if (arguments.only.empty() || arguments.only == codec) floe::bench::print_costs(codec, arguments);
  }
  return 0;
}
