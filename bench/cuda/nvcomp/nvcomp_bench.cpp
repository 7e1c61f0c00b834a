// Speed and sizes of nvCOMP on the data of device_bench. Prints CSV in the columns of device_bench, one line
// per format and data.
//
//   nvcomp_bench [--bytes N] [--runs N] FILES
//
// The low-level batched interface, lossless, in chunks of 64 KiB, the size that its headers recommend. Every
// chunk gets a slot of its own: nvCOMP does not pack them, writes no container and takes no checksums here.
// Built and run by run.sh, as nvCOMP comes from PyPI.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "nvcomp/ans.h"
#include "nvcomp/bitcomp.h"
#include "nvcomp/cascaded.h"
#include "nvcomp/gdeflate.h"
#include "nvcomp/lz4.h"
#include "nvcomp/zstd.h"

namespace {

constexpr std::size_t chunk_bytes = 64 << 10;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}
void check(nvcompStatus_t status) {
  if (status != nvcompSuccess) throw std::runtime_error("nvCOMP status " + std::to_string(status));
}

template <class T>
struct DeviceArray {
  explicit DeviceArray(std::size_t count_) : count(count_) {
    check(cudaMalloc(reinterpret_cast<void**>(&data), std::max<std::size_t>(count * sizeof(T), 256)));
  }
  explicit DeviceArray(const std::vector<T>& from) : DeviceArray(from.size()) {
    check(cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data); }
  std::vector<T> read() const {
    std::vector<T> to(count);
    check(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
  }
  T* data = nullptr;
  std::size_t count;
};

/// Page-locked memory of the host, which a device copies to at the speed of the bus.
struct HostBytes {
  explicit HostBytes(std::size_t count) { check(cudaMallocHost(reinterpret_cast<void**>(&data), count)); }
  HostBytes(const HostBytes&) = delete;
  HostBytes& operator=(const HostBytes&) = delete;
  ~HostBytes() { cudaFreeHost(data); }
  void read(const DeviceArray<std::uint8_t>& from) const {
    check(cudaMemcpy(data, from.data, from.count, cudaMemcpyDeviceToHost));
  }
  std::uint8_t* data = nullptr;
};

/// Content in chunks, and memory for everything that a format makes of it.
struct Chunks {
  explicit Chunks(std::size_t bytes)
      : count((bytes + chunk_bytes - 1) / chunk_bytes),
        sizes(count),
        starts(count),
        content(bytes),
        out(bytes),
        size_array(count),
        in_array(count),
        out_array(count),
        made(count),
        slot_array(count),
        back(count),
        statuses(count),
        host_content(bytes),
        host_out(bytes) {
    std::vector<const void*> in(count);
    std::vector<void*> to(count);
    for (std::size_t i = 0; i < count; ++i) {
      sizes[i] = std::min(chunk_bytes, bytes - i * chunk_bytes);
      in[i] = content.data + i * chunk_bytes;
      to[i] = out.data + i * chunk_bytes;
    }
    check(cudaMemcpy(size_array.data, sizes.data(), count * sizeof(std::size_t), cudaMemcpyHostToDevice));
    check(cudaMemcpy(in_array.data, in.data(), count * sizeof(void*), cudaMemcpyHostToDevice));
    check(cudaMemcpy(out_array.data, to.data(), count * sizeof(void*), cudaMemcpyHostToDevice));
  }
  std::size_t count;
  std::vector<std::size_t> sizes, starts;
  DeviceArray<std::uint8_t> content, out;
  DeviceArray<std::size_t> size_array;
  DeviceArray<const void*> in_array;
  DeviceArray<void*> out_array;
  DeviceArray<std::size_t> made;
  DeviceArray<void*> slot_array;
  DeviceArray<std::size_t> back;
  DeviceArray<nvcompStatus_t> statuses;
  HostBytes host_content, host_out;

  /// Whether `out` is the content, which is in host_content, too.
  [[nodiscard]] bool are_exact() const {
    host_out.read(out);
    return std::memcmp(host_out.data, host_content.data, out.count) == 0;
  }
};

struct Times {
  double median = 0, fastest = 0, slowest = 0;  // seconds
};

Times measure(int runs, const std::function<void()>& work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> seconds;
  for (int run = -1; run < runs; ++run) {
    check(cudaEventRecord(begin));
    work();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end));
    if (run >= 0) seconds.push_back(milliseconds * 1e-3);
    if (run == 0 && seconds[0] > 0.5) break;  // slow enough to be sure
  }
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back()};
}

struct Outcome {
  std::size_t bytes = 0;
  bool exact = false;
  Times compress, decompress;
};

bool all_good(const DeviceArray<nvcompStatus_t>& statuses) {
  const auto read = statuses.read();
  return std::all_of(read.begin(), read.end(), [](nvcompStatus_t status) { return status == nvcompSuccess; });
}

// The functions of a format differ in nothing but their names and options.
#define FLOE_NVCOMP_FORMAT(Format)                                                                           \
  Outcome run_##Format(Chunks& chunks, const nvcompBatched##Format##CompressOpts_t& options, int runs) {     \
    const auto decompress_options = nvcompBatched##Format##DecompressDefaultOpts;                            \
    const std::size_t total = chunks.content.count;                                                          \
    std::size_t slot_bytes = 0, temp = 0, decompress_temp = 0;                                               \
    check(nvcompBatched##Format##CompressGetMaxOutputChunkSize(chunk_bytes, options, &slot_bytes));          \
    check(nvcompBatched##Format##CompressGetTempSize(chunks.count, chunk_bytes, options, &temp, total,       \
                                                     nullptr));                                              \
    check(nvcompBatched##Format##DecompressGetTempSize(chunks.count, chunk_bytes, decompress_options,        \
                                                       &decompress_temp, total, nullptr));                   \
    slot_bytes = (slot_bytes + 255) / 256 * 256;                                                             \
    const DeviceArray<std::uint8_t> memory(std::max(temp, decompress_temp)), slots(slot_bytes*chunks.count); \
    std::vector<void*> addresses(chunks.count);                                                              \
    for (std::size_t i = 0; i < chunks.count; ++i) addresses[i] = slots.data + i * slot_bytes;               \
    check(cudaMemcpy(chunks.slot_array.data, addresses.data(), chunks.count * sizeof(void*),                 \
                     cudaMemcpyHostToDevice));                                                               \
    Outcome outcome;                                                                                         \
    outcome.compress = measure(runs, [&] {                                                                   \
      check(nvcompBatched##Format##CompressAsync(chunks.in_array.data, chunks.size_array.data, chunk_bytes,  \
                                                 chunks.count, memory.data, temp, chunks.slot_array.data,    \
                                                 chunks.made.data, options, chunks.statuses.data, nullptr)); \
    });                                                                                                      \
    if (!all_good(chunks.statuses)) throw std::runtime_error("a chunk was not compressed");                  \
    for (const std::size_t made : chunks.made.read()) outcome.bytes += made;                                 \
    check(cudaMemset(chunks.out.data, 0x5A, total));                                                         \
    outcome.decompress = measure(runs, [&] {                                                                 \
      check(nvcompBatched##Format##DecompressAsync(chunks.slot_array.data, chunks.made.data,                 \
                                                   chunks.size_array.data, chunks.back.data, chunks.count,   \
                                                   memory.data, decompress_temp, chunks.out_array.data,      \
                                                   decompress_options, chunks.statuses.data, nullptr));      \
    });                                                                                                      \
    outcome.exact = all_good(chunks.statuses) && chunks.are_exact();                                         \
    return outcome;                                                                                          \
  }
FLOE_NVCOMP_FORMAT(Bitcomp)
FLOE_NVCOMP_FORMAT(ANS)
FLOE_NVCOMP_FORMAT(Cascaded)
FLOE_NVCOMP_FORMAT(LZ4)
FLOE_NVCOMP_FORMAT(Zstd)
FLOE_NVCOMP_FORMAT(Gdeflate)
#undef FLOE_NVCOMP_FORMAT

struct Array {
  std::string name, type;
  std::vector<char> bytes;
};

Array read_array(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  std::smatch match;
  if (!std::regex_search(name, match, std::regex("_(f32|f64)_[0-9x]+\\.bin$")))
    throw std::runtime_error("no f32 or f64 in the name " + name);
  std::ifstream file(path, std::ios::binary);
  return {name, match[1].str(), {std::istreambuf_iterator<char>(file), {}}};
}

/// Fills memory with copies of an array.
void fill(const DeviceArray<std::uint8_t>& to, const std::vector<char>& from) {
  std::size_t filled = std::min(from.size(), to.count);
  check(cudaMemcpy(to.data, from.data(), filled, cudaMemcpyHostToDevice));
  while (filled < to.count) {
    const std::size_t count = std::min(filled, to.count - filled);
    check(cudaMemcpy(to.data + filled, to.data, count, cudaMemcpyDeviceToDevice));
    filled += count;
  }
}

void bench(const Array& array, Chunks& chunks, int runs, double copy) {
  const bool wide = array.type == "f64";
  auto bitcomp = nvcompBatchedBitcompCompressDefaultOpts;
  bitcomp.data_type = wide ? NVCOMP_TYPE_FLOAT64 : NVCOMP_TYPE_FLOAT32;
  auto bitcomp_integers = bitcomp;
  bitcomp_integers.data_type = wide ? NVCOMP_TYPE_ULONGLONG : NVCOMP_TYPE_UINT;
  auto bitcomp_sparse = bitcomp;
  bitcomp_sparse.algorithm = 1;
  auto ans = nvcompBatchedANSCompressDefaultOpts;
  if (!wide) ans.data_type = NVCOMP_TYPE_FLOAT32;
  auto cascaded = nvcompBatchedCascadedCompressDefaultOpts;
  cascaded.common_opts.data_type = wide ? NVCOMP_TYPE_ULONGLONG : NVCOMP_TYPE_UINT;
  const auto lz4 = nvcompBatchedLZ4CompressDefaultOpts;
  const auto zstd = nvcompBatchedZstdCompressDefaultOpts;
  const auto gdeflate = nvcompBatchedGdeflateCompressDefaultOpts;
  const std::pair<const char*, std::function<Outcome()>> formats[] = {
      {"nvcomp-bitcomp", [&] { return run_Bitcomp(chunks, bitcomp, runs); }},
      {"nvcomp-bitcomp-as-integers", [&] { return run_Bitcomp(chunks, bitcomp_integers, runs); }},
      {"nvcomp-bitcomp-sparse", [&] { return run_Bitcomp(chunks, bitcomp_sparse, runs); }},
      {"nvcomp-ans", [&] { return run_ANS(chunks, ans, runs); }},
      {"nvcomp-cascaded", [&] { return run_Cascaded(chunks, cascaded, runs); }},
      {"nvcomp-lz4", [&] { return run_LZ4(chunks, lz4, runs); }},
      {"nvcomp-zstd", [&] { return run_Zstd(chunks, zstd, runs); }},
      {"nvcomp-gdeflate", [&] { return run_Gdeflate(chunks, gdeflate, runs); }},
  };
  for (const auto& [name, run] : formats) {
    const auto bytes = static_cast<double>(chunks.content.count);
    try {
      const Outcome outcome = run();
      const auto rate = [&](double seconds) { return bytes / seconds * 1e-9; };
      std::printf("%s,%s,%s,%.0f,warm,%zu,%.4f,%s,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.3f,%.3f\n",
                  array.name.c_str(), array.type.c_str(), name, bytes, outcome.bytes,
                  bytes / static_cast<double>(outcome.bytes), outcome.exact ? "yes" : "NO",
                  rate(outcome.compress.median), rate(outcome.compress.slowest),
                  rate(outcome.compress.fastest), rate(outcome.decompress.median),
                  rate(outcome.decompress.slowest), rate(outcome.decompress.fastest), copy * 1e-9,
                  rate(outcome.compress.median) / copy * 1e9, rate(outcome.decompress.median) / copy * 1e9);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s %s: %s\n", array.name.c_str(), name, error.what());
    }
    std::fflush(stdout);
  }
}

void run(std::size_t bytes, int runs, const std::vector<std::string>& paths) {
  std::vector<Array> files;
  std::map<std::string, Array> joined;
  for (const std::string& path : paths) {
    files.push_back(read_array(path));
    Array& all = joined[files.back().type];
    all.name = "all_" + files.back().type;
    all.type = files.back().type;
    all.bytes.insert(all.bytes.end(), files.back().bytes.begin(), files.back().bytes.end());
  }
  Chunks chunks(bytes);
  const double copy =
      static_cast<double>(bytes) /
      measure(11, [&] {
        check(cudaMemcpyAsync(chunks.out.data, chunks.content.data, bytes, cudaMemcpyDeviceToDevice));
      }).median;
  std::puts(
      "data,type,codec,bytes,cache,frame_bytes,ratio,exact,compress_gbps,compress_gbps_min,compress_gbps_max,"
      "decompress_gbps,"
      "decompress_gbps_min,decompress_gbps_max,copy_gbps,compress_of_copy,decompress_of_copy");
  for (const auto& [type, array] : joined) files.insert(files.begin(), array);
  for (const Array& array : files) {
    fill(chunks.content, array.bytes);
    chunks.host_content.read(chunks.content);
    bench(array, chunks, runs, copy);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t bytes = std::size_t{1} << 30;
  int runs = 5;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--bytes" && i + 1 < argc) {
      bytes = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--runs" && i + 1 < argc) {
      runs = std::atoi(argv[++i]);
    } else {
      paths.push_back(argument);
    }
  }
  try {
    run(bytes, runs, paths);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nvcomp_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
