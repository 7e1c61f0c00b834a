#include "bench/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/failure.hpp"
#include "bench/yardsticks.hpp"

namespace floe::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Bytes per run. Several callers do not begin at the same instant, which has to be short beside their work.
constexpr std::uint64_t bytes_per_run = std::uint64_t{8} << 20;
constexpr std::uint64_t bytes_per_run_of_several = std::uint64_t{64} << 20;
// Slow methods are timed well enough by fewer calls.
constexpr double seconds_per_run = 0.05;

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

Bench::Bench(std::string file, const Subject& subject, std::uint32_t callers)
    : file_(std::move(file)), subject_(subject), bytes_(subject.bytes().size()), areas_(callers) {
  calls_ = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, (callers > 1 ? bytes_per_run_of_several : bytes_per_run) / bytes_));
  for (Area& area : areas_) {
    area.bytes = subject.bytes();
    if (&area != &areas_.front()) {
      area.own_bytes.assign(area.bytes.begin(), area.bytes.end());
      area.bytes = area.own_bytes;
    }
    area.copy.resize(bytes_);
  }
}

template <class Work>
double Bench::time_callers(const Work& work) {
  const auto time_calls = [&](std::uint32_t calls) {
    return timed(static_cast<std::uint32_t>(areas_.size()), [&](std::uint32_t caller) {
      for (std::uint32_t call = 0; call < calls; ++call) work(areas_[caller]);
    });
  };
  std::uint32_t calls = calls_;
  if (calls > 1) {
    const double once = time_calls(1);  // what other threads had in their caches comes back
    calls = static_cast<std::uint32_t>(std::clamp(seconds_per_run / once, 1.0, static_cast<double>(calls_)));
  }
  return time_calls(calls) / calls;
}

void Bench::measure_yardsticks(std::uint32_t threads, Times& times) {
  // As many threads as the codec may use, on its array; with several callers, each has one.
  const auto parts = static_cast<std::uint32_t>(areas_.size() > 1 ? 1 : threads);
  const auto time_parts = [&](const auto& work) {
    if (parts == 1) return time_callers([&](Area& area) { work(area, 0u); });
    Area& area = areas_.front();
    return timed(parts,
                 [&](std::uint32_t index) {
                   for (std::uint32_t call = 0; call < calls_; ++call) work(area, index);
                 }) /
           calls_;
  };
  times.copy.push_back(time_parts([&](Area& area, std::uint32_t index) {
    copy(part_of(std::span(area.copy), index, parts), part_of(area.bytes, index, parts));
  }));
  times.stream_copy.push_back(time_parts([&](Area& area, std::uint32_t index) {
    copy_past_caches(part_of(std::span(area.copy), index, parts), part_of(area.bytes, index, parts));
  }));
  std::vector<std::uint64_t> sums(parts);
  times.read.push_back(time_parts([&](Area& area, std::uint32_t index) {
    (parts == 1 ? area.sum : sums[index]) += sum_of_words(part_of(area.bytes, index, parts));
  }));
  for (const std::uint64_t sum : sums) areas_.front().sum += sum;
}

void Bench::compress(const Method& method, Times& times) {
  times.compress.push_back(time_callers([&](Area& area) {
    const Result<std::size_t> bytes = subject_.compress(area.frame, area.bytes, method);
    area.status = bytes.status();
    if (bytes) area.frame_bytes = *bytes;
  }));
  for (const Area& area : areas_) {
    if (!area.status.ok()) throw library_failure(file_, area.status);
  }
}

void Bench::decompress(const DecodeOptions& options, Times& times) {
  times.decompress.push_back(time_callers([&](Area& area) {
    area.status = subject_.decompress(area.copy, std::span(area.frame).first(area.frame_bytes), options);
  }));
  for (const Area& area : areas_) {
    if (!area.status.ok()) throw library_failure(file_, area.status);
  }
}

void Bench::check_decoded() const {
  for (const Area& area : areas_) {
    if (!std::ranges::equal(area.copy, area.bytes))
      throw Failure(ExitCode::verify_mismatch, file_, "what was decoded differs from the original");
  }
}

Measurement Bench::measure(const Method& method, const DecodeOptions& decode_options, const Effort& effort) {
  Times times;
  const Clock::time_point start = Clock::now();
  const auto goes_on = [&](std::uint32_t run) {
    return effort.runs != 0
               ? run <= effort.runs
               : run <= 3 || std::chrono::duration<double>(Clock::now() - start).count() < effort.seconds;
  };
  // One run more than is counted: the first one warms caches and the library's memory up, and checks the
  // result.
  for (std::uint32_t run = 0; goes_on(run); ++run) {
    if (run == 1) times = {};
    measure_yardsticks(std::max(method.options.threads, 1u), times);
    compress(method, times);
    if (run == 0) {
      for (Area& area : areas_)
        std::fill(area.copy.begin(), area.copy.end(), std::byte{0});  // the check must not see the copies
    }
    decompress(decode_options, times);
    if (run == 0) check_decoded();
  }
  append(all_times_.copy, times.copy);
  append(all_times_.stream_copy, times.stream_copy);
  append(all_times_.read, times.read);

  Measurement result;
  result.stored_bytes = areas_.front().frame_bytes;
  result.runs = static_cast<std::uint32_t>(times.compress.size());
  result.compress = speeds_of(times.compress);
  result.decompress = speeds_of(times.decompress);
  result.yardsticks = yardsticks_of(times);
  return result;
}

Speeds Bench::speeds_of(std::vector<double> seconds) const {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  const double median =
      seconds.size() % 2 != 0 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  const auto all_bytes = static_cast<double>(bytes_ * areas_.size());
  const auto speed = [all_bytes](double time) { return all_bytes / std::max(time, 1e-9) / 1e9; };
  return {speed(median), speed(seconds.back()), speed(seconds.front())};
}

Yardsticks Bench::yardsticks_of(const Times& times) const {
  return {speeds_of(times.copy), speeds_of(times.stream_copy), speeds_of(times.read)};
}

Yardsticks Bench::yardsticks() const { return yardsticks_of(all_times_); }

}  // namespace floe::cli
