// Prints how small files become with the experimental codecs, in frames of format version 1: measure FILE...
// (NAME_f32_DIMS.bin or NAME_f64_DIMS.bin, DIMS like 91x91x91). Every chunk is decoded and compared.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "core/bits.hpp"
#include "tests/experiments/codecs.hpp"

namespace floe::experiments {
namespace {

struct Array {
  Bytes bytes;
  unsigned word_bits = 0;
  core::ChunkContext context;
};

std::optional<Array> read_array(const std::filesystem::path& path) {
  static const std::regex pattern("_f(32|64)_([0-9]+(x[0-9]+)*)\\.bin$");
  const std::string name = path.filename().string();
  std::smatch match;
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::regex_search(name, match, pattern)) return std::nullopt;
  Array array;
  array.word_bits = match[1] == "32" ? 32 : 64;
  array.context.rank = 0;
  const std::string dims = match[2];
  static const std::regex number("[0-9]+");
  for (std::sregex_iterator dim(dims.begin(), dims.end(), number), end; dim != end && array.context.rank < 8;
       ++dim) {
    array.context.extent[array.context.rank++] = std::stoull(dim->str());
  }
  array.bytes.assign(std::istreambuf_iterator<char>(file), {});
  return array;
}

/// Bytes of a frame with these chunks; 0 if a chunk did not come back.
std::uint64_t frame_bytes(const Array& array, const registry::ChunkCoder& coder) {
  constexpr std::uint64_t frame_overhead = 200, segment_overhead = 80, chunk_overhead = 7,
                          chunks_per_segment = 4096;
  std::uint64_t stored = frame_overhead, chunks = 0;
  for (std::size_t begin = 0; begin < array.bytes.size(); begin += core::chunk_bytes, ++chunks) {
    const std::span<const std::uint8_t> chunk =
        std::span(array.bytes).subspan(begin, std::min(core::chunk_bytes, array.bytes.size() - begin));
    core::ChunkContext context = array.context;
    context.bytes = chunk.size();
    context.first_word = begin / (array.word_bits / 8);
    Bytes out(chunk.size()), back(chunk.size());
    const std::size_t size = coder.encode(chunk, out, {}, context);
    if (size != registry::raw_chunk) {
      if (!coder.decode(std::span(out).first(size), back, {}, context)) return 0;
      if (!std::equal(chunk.begin(), chunk.end(), back.begin())) return 0;
    }
    stored += core::align_up(size == registry::raw_chunk ? chunk.size() : size, 16) + chunk_overhead;
  }
  return stored + core::divide_up(chunks, chunks_per_segment) * segment_overhead;
}

int measure(int file_count, char** files) {
  std::printf("file,codec,input_bytes,frame_bytes,ratio\n");
  for (int f = 0; f < file_count; ++f) {
    const std::filesystem::path path = files[f];
    const auto array = read_array(path);
    if (!array) {
      std::fprintf(stderr, "%s: cannot be read, or its name does not say type and shape\n", files[f]);
      return 1;
    }
    for (const Experiment& experiment : experiments) {
      if (experiment.word_bits != array->word_bits) continue;
      const std::uint64_t stored = frame_bytes(*array, experiment.coder);
      if (stored == 0) {
        std::fprintf(stderr, "%s: %s did not bring a chunk back\n", files[f], experiment.name);
        return 1;
      }
      std::printf("%s,%s,%zu,%llu,%.4f\n", path.filename().c_str(), experiment.name, array->bytes.size(),
                  static_cast<unsigned long long>(stored),
                  static_cast<double>(array->bytes.size()) / static_cast<double>(stored));
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace floe::experiments

int main(int argument_count, char** arguments) {
  return floe::experiments::measure(argument_count - 1, arguments + 1);
}
