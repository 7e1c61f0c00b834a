// What do checksums cost of compressing and decompressing? checksum_cost [--seconds S] [--codec CODEC] ARRAY... compresses and decompresses
// with and without them in turn, in one thread, and prints the rows of a table of docs/benchmarks/cpu.md: medians over the arrays. The
// instruction set is the one that FLOE_ISA names. Arrays are raw files with names such as x_f32_721x1440.bin, repeated to each size or cut.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "floe/floe.hpp"

namespace {

using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t sizes[] = {std::size_t{256} << 10, std::size_t{256} << 20};
constexpr double shortest_run_seconds = 2e-4;  // shorter work is repeated within a run
constexpr int fewest_runs = 5;

struct Array {
  Bytes content;
  floe::DType dtype;
};

struct Costs {
  double compress, decompress;  ///< Time with checksums over time without them, less 1.
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "checksum_cost: %s\n", what);
  std::exit(1);
}

Array load(const std::string& file) {
  std::ifstream source(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(source), {}};
  const bool is_double = file.find("_f64_") != std::string::npos;
  if (bytes.empty() || (!is_double && file.find("_f32_") == std::string::npos)) fail("an array is empty or of no type known here");
  Array array{Bytes(bytes.size()), is_double ? floe::DType::f64 : floe::DType::f32};
  std::memcpy(array.content.data(), bytes.data(), bytes.size());
  return array;
}

Bytes repeated(const Bytes& content, std::size_t size) {
  Bytes longer(size);
  const std::size_t from = content.size() > size ? (content.size() - size) / 2 / 8 * 8 : 0;
  for (std::size_t at = 0, part; at < size; at += part) {
    part = std::min(content.size() - from, size - at);
    std::memcpy(longer.data() + at, content.data() + from, part);
  }
  return longer;
}

template <class Work>
double seconds_of(const Work& work, int repetitions) {
  const auto begin = Clock::now();
  for (int i = 0; i < repetitions; ++i) work();
  return std::chrono::duration<double>(Clock::now() - begin).count() / repetitions;
}

/// The median of what `with` takes more than `without`, pair by pair: what disturbs the machine for longer than a pair does not count.
template <class Work>
double cost(const Work& work, double seconds) {
  work(true);
  const int repetitions = 1 + static_cast<int>(shortest_run_seconds / seconds_of([&] { work(false); }, 1));
  std::vector<double> ratios;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (ratios.size() < fewest_runs || Clock::now() < end) {
    const double with = seconds_of([&] { work(true); }, repetitions), without = seconds_of([&] { work(false); }, repetitions);
    ratios.push_back(with / without - 1);
  }
  return median(ratios);
}

Costs measure(std::string_view codec, const Array& array, std::size_t size, double seconds) {
  const Bytes content = repeated(array.content, size);
  const auto extent = floe::Extent::linear(size / floe::size_of(array.dtype));
  floe::Options options[2];
  Bytes frames[2];
  floe::DecodeOptions decode_options;
  decode_options.threads = 1;
  for (const bool checksum : {false, true}) {
    options[checksum].codec = codec;
    options[checksum].threads = 1;
    options[checksum].checksum = checksum;
    frames[checksum].resize(floe::max_compressed_size(array.dtype, extent, options[checksum]).value());
  }
  std::size_t frame_bytes[2];
  Costs costs{};
  const auto compress = [&](bool checksum) {
    frame_bytes[checksum] = floe::compress_into(frames[checksum], content, array.dtype, extent, options[checksum]).value();
  };
  compress(false);
  costs.compress = cost(compress, seconds);
  Bytes decoded(size);
  const auto decompress = [&](bool checksum) {
    auto view = floe::FrameView::parse(std::span<const std::byte>(frames[checksum]).first(frame_bytes[checksum]));
    if (!view->decompress(decoded, decode_options).ok()) fail("a frame cannot be decoded");
  };
  costs.decompress = cost(decompress, seconds);
  if (decoded != content) fail("an array did not come back");
  return costs;
}

}  // namespace

int main(int argument_count, char** arguments) {
  double seconds = 0.2;
  std::string_view only;
  std::vector<Array> arrays;
  for (int i = 1; i < argument_count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--seconds" && i + 1 < argument_count) {
      seconds = std::strtod(arguments[++i], nullptr);
    } else if (argument == "--codec" && i + 1 < argument_count) {
      only = arguments[++i];
    } else {
      arrays.push_back(load(argument));
    }
  }
  if (arrays.empty()) fail("needs arrays");
  const std::string isa(floe::instruction_set());
  for (const char* const codec : {"spspeed", "dpspeed", "spratio", "dpratio", "gfc"}) {
    if (!only.empty() && only != codec) continue;
    std::printf("| %s | %s |", codec, isa.c_str());
    for (const std::size_t size : sizes) {
      std::vector<double> compress, decompress;
      for (const Array& array : arrays) {
        const bool is_double = array.dtype == floe::DType::f64;
        if (std::string_view(codec) != "gfc" && is_double != (codec[0] == 'd')) continue;
        const Costs costs = measure(codec, array, size, seconds);
        compress.push_back(100 * costs.compress);
        decompress.push_back(100 * costs.decompress);
      }
      if (!compress.empty()) std::printf(" %.1f %% | %.1f %% |", median(compress), median(decompress));
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  return 0;
}
