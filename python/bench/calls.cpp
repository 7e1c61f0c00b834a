// How long do the calls of C++ take that the Python package makes? calls FILE DTYPE OPTION RUNS: FILE holds
// elements, OPTION is a goal or a codec. Prints the best seconds of compress_into, Reader::decompress into
// new memory, and into old memory.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "floe/floe.hpp"

namespace {

template <class Call>
double best_seconds(int runs, Call&& call) {
  double best = 1e9;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  std::ifstream file(words[1], std::ios::binary);
  const std::vector<char> elements{std::istreambuf_iterator<char>(file), {}};
  const auto in = std::as_bytes(std::span(elements));
  const floe::DType dtype = floe::dtype_from_name(words[2]).value();
  const std::string option = words[3];
  const int runs = std::atoi(words[4]);
  floe::Options options;
  options.threads = 1;
  if (option == "speed" || option == "balance" || option == "ratio") {
    options.goal = option == "speed"   ? floe::Goal::speed
                   : option == "ratio" ? floe::Goal::ratio
                                       : floe::Goal::balance;
  } else {
    options.tree = option;
  }
  const floe::Extent extent = floe::Extent::linear(in.size() / floe::size_of(dtype));
  const std::uint64_t room = floe::max_compressed_size(dtype, extent, options).value();

  // Memory is new in each call, as for whoever keeps the result.
  const double compress = best_seconds(runs, [&] {
    const std::unique_ptr<std::byte[]> out(new std::byte[room]);
    (void)floe::compress_into({out.get(), room}, in, dtype, extent, options).value();
  });
  const std::vector<std::byte> frame = floe::compress(in, dtype, extent, options).value();
  floe::DecodeOptions decode;
  decode.threads = 1;
  const double decompress = best_seconds(runs, [&] {
    const std::unique_ptr<std::byte[]> out(new std::byte[in.size()]);
    floe::Reader::open(frame).value().decompress({out.get(), in.size()}, decode).or_throw();
  });
  std::vector<std::byte> old(in.size());
  const double into =
      best_seconds(runs, [&] { floe::Reader::open(frame).value().decompress(old, decode).or_throw(); });
  std::printf("%.6f %.6f %.6f\n", compress, decompress, into);
  return 0;
}
