#include "measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "failure.hpp"

namespace floe::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The yardstick uses as many threads as the codec may.
void copy_with_threads(std::span<std::byte> to, std::span<const std::byte> from, std::uint32_t threads) {
  const std::size_t part = from.size() / threads;
  std::vector<std::jthread> others;
  for (std::uint32_t i = 1; i < threads; ++i) {
    const std::size_t begin = part * i;
    const std::size_t count = i + 1 == threads ? from.size() - begin : part;
    others.emplace_back([=] { std::memcpy(to.data() + begin, from.data() + begin, count); });
  }
  std::memcpy(to.data(), from.data(), threads == 1 ? from.size() : part);
}

Speeds speeds_of(std::vector<double> seconds, std::size_t bytes) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  const double median = seconds.size() % 2 != 0 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  const auto speed = [bytes](double time) { return static_cast<double>(bytes) / std::max(time, 1e-9) / 1e9; };
  return {speed(median), speed(seconds.back()), speed(seconds.front())};
}

}  // namespace

std::uint32_t resolved_threads(std::uint32_t threads) noexcept {
  return threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

Bench::Bench(std::string file, std::span<const std::byte> elements, DType dtype, const Extent& extent)
    : file_(std::move(file)), elements_(elements), dtype_(dtype), extent_(extent), copy_(elements.size()) {}

Measurement Bench::measure(const Options& options, const Effort& effort) {
  const Result<std::uint64_t> bound = max_compressed_size(dtype_, extent_, options);
  if (!bound) throw library_failure(file_, bound.status());
  if (frame_.size() < *bound) frame_.resize(*bound);
  DecodeOptions decode_options;
  decode_options.threads = options.threads;

  Measurement result;
  std::vector<double> copying, compressing, decompressing;
  // One run more than is counted: the first one warms caches and the library's memory up.
  const Clock::time_point start = Clock::now();
  for (std::uint32_t run = 0; effort.runs != 0 ? run <= effort.runs : run <= 3 || seconds_since(start) < effort.seconds; ++run) {
    const Clock::time_point copy_start = Clock::now();
    copy_with_threads(copy_, elements_, resolved_threads(options.threads));
    const double copy_seconds = seconds_since(copy_start);

    const Clock::time_point compress_start = Clock::now();
    const Result<std::size_t> frame_bytes = compress_into(frame_, elements_, dtype_, extent_, options);
    const double compress_seconds = seconds_since(compress_start);
    if (!frame_bytes) throw library_failure(file_, frame_bytes.status());
    result.stored_bytes = *frame_bytes;

    if (run == 0) std::fill(copy_.begin(), copy_.end(), std::byte{0});  // so that the comparison below cannot see the copy
    const Clock::time_point decompress_start = Clock::now();
    const Result<FrameView> frame = FrameView::parse(std::span(frame_).first(*frame_bytes));
    if (!frame) throw library_failure(file_, frame.status());
    const Status status = frame->decompress(copy_, decode_options);
    const double decompress_seconds = seconds_since(decompress_start);
    if (!status.ok()) throw library_failure(file_, status);
    if (run == 0) {
      if (!std::ranges::equal(copy_, elements_))
        throw Failure(ExitCode::verify_mismatch, file_, "the decoded array differs from the original");
      continue;
    }
    copying.push_back(copy_seconds);
    compressing.push_back(compress_seconds);
    decompressing.push_back(decompress_seconds);
  }
  result.runs = static_cast<std::uint32_t>(copying.size());
  copy_seconds_.insert(copy_seconds_.end(), copying.begin(), copying.end());
  result.memcpy = speeds_of(copying, elements_.size());
  result.compress = speeds_of(compressing, elements_.size());
  result.decompress = speeds_of(decompressing, elements_.size());
  return result;
}

Speeds Bench::memcpy_speeds() const { return speeds_of(copy_seconds_, elements_.size()); }

}  // namespace floe::cli
