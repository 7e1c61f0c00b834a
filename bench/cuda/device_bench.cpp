// Speed of frames of the codecs, of a tree, or of planned trees, in the memory of a device. Prints CSV, one
// line per method, data and size, with the copy rate of the same run.
//
//   device_bench [--bytes N] [--runs N] [--sweep] [--only METHOD] FILES
//
// A method is a codec, a tree, "planned" or, where --only says so, "host". Planned: PlannedEncoder, which
// forgets what it has seen before each run, so that its time holds windows, planning and encoding. Host: the
// frame is the CPU's, by goal balance and the usual profile, and the time to compress is that of all cores,
// in one run. Files are raw little-endian arrays whose names say the type and the shape: x_f32_721x1440.bin.
// Without --sweep each file is repeated along its first dimension up to N bytes (default 1 GiB), and
// "all_f32" and "all_f64" are the files of a type one behind the other, repeated, without a shape. With
// --sweep, "all" from 64 KiB to 4 GiB.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "device_work.hpp"
#include "floe/cuda.hpp"
#include "floe/floe.hpp"

namespace {

using floe::DType;
using floe::bench::Arguments;
using floe::bench::check;
using floe::bench::DeviceBuffer;
using floe::bench::measure;
using floe::bench::Times;

struct Array {
  std::string name;
  DType dtype;
  std::vector<char> bytes;
  std::vector<std::uint64_t> inner = {};  ///< Its dimensions but for the first one.

  /// Elements of a slice of the first dimension.
  [[nodiscard]] std::uint64_t inner_count() const {
    std::uint64_t count = 1;
    for (const std::uint64_t size : inner) count *= size;
    return count;
  }
  [[nodiscard]] floe::Extent extent_of(std::uint64_t elements) const {
    floe::Extent extent = floe::Extent::linear(elements / inner_count());
    for (const std::uint64_t size : inner) extent.size[extent.rank++] = size;
    return extent;
  }
};

Array read_array(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  std::smatch match;
  if (!std::regex_search(name, match, std::regex("_([a-z]+[0-9]+)_[0-9]+((x[0-9]+)*)\\.bin$")))
    throw std::runtime_error("no type and shape in the name " + name);
  const auto dtype = floe::dtype_from_name(match[1].str());
  if (!dtype) throw std::runtime_error("unknown type in the name " + name);
  std::vector<std::uint64_t> inner;
  std::istringstream sizes(match[2].str());
  for (char x = 0; sizes >> x;) sizes >> inner.emplace_back();
  std::ifstream file(path, std::ios::binary);
  return {name, *dtype, {std::istreambuf_iterator<char>(file), {}}, std::move(inner)};
}

/// Bytes per second of a copy within the device.
double copy_rate(std::uint64_t bytes, int runs) {
  return static_cast<double>(bytes) / floe::bench::measure_copy(bytes, runs).median;
}

floe::cuda::ItemResult read_result(const DeviceBuffer& from) {
  floe::cuda::ItemResult result;
  check(cudaMemcpy(&result, from.data, sizeof result, cudaMemcpyDeviceToHost));
  if (result.code != 0) throw std::runtime_error(floe::name_of(static_cast<floe::ErrorCode>(result.code)));
  return result;
}

constexpr const char *planned = "planned", *host = "host";
constexpr std::uint64_t planned_batch_bytes = std::uint64_t{256} << 20;

/// Compresses as a method says, run after run.
class Compressor {
 public:
  Compressor(const std::string& method, DType dtype, const floe::Extent& extent, floe::Options options)
      : dtype_(dtype), extent_(extent), options_(options) {
    const std::uint64_t elements = extent_.element_count().value(), bytes = elements * floe::size_of(dtype);
    if (method == host) {
      options_ = {};
      host_words_.resize(bytes);
    }
    if (method != planned) return;
    options_.tree = {};
    const std::uint64_t batch_words = planned_batch_bytes / floe::size_of(dtype);
    encoder_.emplace(
        floe::cuda::PlannedEncoder::create(dtype, elements, floe::cuda::usual_segment_words, batch_words)
            .value());
  }

  [[nodiscard]] std::uint64_t workspace_bytes(std::uint64_t bytes) const {
    return encoder_ || !host_words_.empty()
               ? 0
               : floe::cuda::compress_workspace_size(bytes, 1, dtype_, options_).value();
  }

  [[nodiscard]] std::uint64_t room() const {
    return floe::max_compressed_size(dtype_, extent_, options_).value();
  }

  /// By the CPU, to `frame`. Returns its bytes, and adds to `times`.
  std::uint64_t by_host(const DeviceBuffer& in, const DeviceBuffer& frame, Times& times) {
    check(cudaMemcpy(host_words_.data(), in.data, in.bytes, cudaMemcpyDeviceToHost));
    const auto begin = std::chrono::steady_clock::now();
    const auto made =
        floe::compress(std::as_bytes(std::span(host_words_)), dtype_, extent_, options_).value();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    times = {seconds, seconds, seconds};
    check(cudaMemcpy(frame.data, made.data(), made.size(), cudaMemcpyHostToDevice));
    const auto reader = floe::Reader::open(made).value();
    segment_bytes_ = reader.info().max_segment_length * floe::size_of(dtype_);
    return made.size();
  }
  [[nodiscard]] std::uint64_t segment_bytes() const { return segment_bytes_; }

  void operator()(const floe::cuda::BatchItem& item, floe::cuda::ItemResult* result,
                  floe::cuda::Workspace where) {
    if (!encoder_) {
      floe::cuda::compress_async(item, dtype_, extent_, options_, result, where, nullptr).or_throw();
      return;
    }
    encoder_->forget();
    encoder_->compress(item, dtype_, extent_, options_, result, nullptr).or_throw();
  }

 private:
  DType dtype_;
  floe::Extent extent_;
  floe::Options options_;
  std::optional<floe::cuda::PlannedEncoder> encoder_;
  std::vector<char> host_words_;
  std::uint64_t segment_bytes_ = 0;
};

/// One line. `cache_cold`: something else fills the cache before every run.
void bench(const Array& array, const std::string& method, std::uint64_t bytes, bool cache_cold, double copy,
           const Arguments& settings) {
  const std::uint64_t slice_bytes = array.inner_count() * floe::size_of(array.dtype);
  bytes = bytes / slice_bytes * slice_bytes;
  const std::string tree = method == planned || method == host ? "" : method;
  floe::Options options;
  options.tree = tree;
  options.profile = floe::Profile::gpu;
  Compressor compressor(method, array.dtype, array.extent_of(bytes / floe::size_of(array.dtype)), options);
  const std::uint64_t room = compressor.room();
  const DeviceBuffer in(bytes), frame(room), out(bytes), result(sizeof(floe::cuda::ItemResult)),
      flush(cache_cold ? std::uint64_t{256} << 20 : 1), workspace(compressor.workspace_bytes(bytes));
  floe::bench::fill(in, std::as_bytes(std::span(array.bytes)));
  auto* const results = reinterpret_cast<floe::cuda::ItemResult*>(result.data);
  const auto before = [&] {
    if (cache_cold) check(cudaMemsetAsync(flush.data, 0, flush.bytes));
  };
  const auto compress = [&] {
    compressor({in.data, bytes, frame.data, room}, results, {workspace.data, workspace.bytes});
  };
  Times compressed;
  const std::uint64_t frame_bytes =
      method == host ? compressor.by_host(in, frame, compressed)
                     : (compressed = measure(settings.runs, compress, before), read_result(result).bytes);
  check(cudaMemset(out.data, 0x5A, bytes));
  const floe::cuda::FrameKind kind{array.dtype, tree, compressor.segment_bytes()};
  const DeviceBuffer room_to_decode(floe::cuda::decompress_workspace_size(bytes, 1, kind).value());
  const auto decompress = [&] {
    floe::cuda::decompress_async({frame.data, frame_bytes, out.data, bytes}, kind, results,
                                 {room_to_decode.data, room_to_decode.bytes}, nullptr)
        .or_throw();
  };
  const Times decompressed = measure(settings.runs, decompress, before);
  read_result(result);
  std::vector<char> tail(std::min<std::uint64_t>(bytes, 1 << 20)), expected(tail.size());
  check(cudaMemcpy(tail.data(), out.data + bytes - tail.size(), tail.size(), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(expected.data(), in.data + bytes - tail.size(), tail.size(), cudaMemcpyDeviceToHost));
  const auto rate = [&](double seconds) { return static_cast<double>(bytes) / seconds * 1e-9; };
  std::printf("%s,%s,\"%s\",%llu,%s,%llu,%.4f,%s,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.3f,%.3f\n",
              array.name.c_str(), std::string(floe::name_of(array.dtype)).c_str(), method.c_str(),
              static_cast<unsigned long long>(bytes), cache_cold ? "cold" : "warm",
              static_cast<unsigned long long>(frame_bytes),
              static_cast<double>(bytes) / static_cast<double>(frame_bytes), tail == expected ? "yes" : "NO",
              rate(compressed.median), rate(compressed.slowest), rate(compressed.fastest),
              rate(decompressed.median), rate(decompressed.slowest), rate(decompressed.fastest), copy * 1e-9,
              rate(compressed.median) / copy * 1e9, rate(decompressed.median) / copy * 1e9);
  std::fflush(stdout);
}

/// Frames of hosts may have encodings that devices do not have.
void bench_or_say_why_not(const Array& array, const std::string& method, double copy,
                          const Arguments& settings) {
  try {
    bench(array, method, settings.bytes, false, copy, settings);
  } catch (const std::exception& error) {
    if (method != host) throw;
    std::printf("# %s by the host: %s\n", array.name.c_str(), error.what());
  }
}

/// All arrays of a type one behind the other.
std::vector<Array> join(const std::vector<Array>& arrays) {
  std::map<DType, Array> joined;
  for (const Array& array : arrays) {
    Array& all = joined[array.dtype];
    all.name = "all_" + std::string(floe::name_of(array.dtype));
    all.dtype = array.dtype;
    all.bytes.insert(all.bytes.end(), array.bytes.begin(), array.bytes.end());
  }
  std::vector<Array> list;
  for (auto& [dtype, array] : joined) list.push_back(std::move(array));
  return list;
}

void run(const Arguments& settings) {
  std::vector<Array> files;
  for (const std::string& path : settings.files) files.push_back(read_array(path));
  const std::vector<Array> joined = join(files);
  std::puts(
      "data,type,codec,bytes,cache,frame_bytes,ratio,exact,compress_gbps,compress_gbps_min,compress_gbps_max,"
      "decompress_gbps,"
      "decompress_gbps_min,decompress_gbps_max,copy_gbps,compress_of_copy,decompress_of_copy");
  std::vector<std::string> trees = {settings.only.empty() ? planned : settings.only};

  for (const floe::CodecInfo& codec : floe::codecs()) {
    const std::string name(codec.name);  // codecs of several types share one
    if (settings.only.empty() && std::find(trees.begin(), trees.end(), name) == trees.end())
      trees.push_back(name);
  }
  const auto each_tree = [&](const Array& array, const auto& visit) {
    for (const std::string& tree : trees) {
      floe::Options options;
      options.tree = tree;
      options.profile = floe::Profile::gpu;
      if (tree == planned || tree == host || floe::cuda::supports(array.dtype, options)) visit(tree);
    }
  };
  if (settings.sweep) {
    for (const Array& array : joined) {
      for (std::uint64_t bytes = 64 << 10; bytes <= std::uint64_t{4} << 30; bytes *= 4) {
        const double copy = copy_rate(bytes, settings.runs);
        each_tree(array, [&](const std::string& tree) {
          bench(array, tree, bytes, false, copy, settings);
          if (bytes <= 256 << 20) bench(array, tree, bytes, true, copy, settings);
        });
      }
    }
    return;
  }
  const double copy = copy_rate(settings.bytes, settings.runs);
  for (const std::vector<Array>* list : {&joined, static_cast<const std::vector<Array>*>(&files)}) {
    for (const Array& array : *list) {
      each_tree(array, [&](const std::string& tree) { bench_or_say_why_not(array, tree, copy, settings); });
    }
  }
}

}  // namespace

int main(int count, char** words) {
  return floe::bench::run_program(count, words, {}, {.files = true, .sweep = true, .only = true}, run);
}
