// How much faster are two threads on one array, and two callers with an array each, than one? scaling
// [--seconds S] [--codec CODEC] ARRAY... measures one and two in turn and prints CSV: codec, instruction set,
// bytes, array, and how many times the work of one is done in the same time, compressing and decompressing;
// of callers by all pairs, by those that nobody disturbed, and the share of these. Whether the host gives two
// processors is asked before and after each pair of callers, by a loop in registers. The instruction set is
// the one that FLOE_ISA names. Arrays are raw files with names such as x_f32_721x1440.bin, repeated to each
// size or cut.
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "in_turn.hpp"

namespace floe::bench {
namespace {

constexpr std::size_t sizes[] = {std::size_t{16} << 10, std::size_t{256} << 10, std::size_t{8} << 20,
                                 std::size_t{256} << 20};
constexpr std::size_t max_of_callers = std::size_t{8}
                                       << 20;  // beyond the caches they share memory, and nothing else
constexpr double shortest_run_seconds = 1e-3;
constexpr double gain_of_two_processors =
    1.9;                        // where a loop in registers gains less, somebody else has one of them
constexpr double patience = 5;  // times as long as asked for, until enough pairs were undisturbed
constexpr std::size_t apart =
    8192;  // what arrays are followed by, as a line that two callers write to is slow for both

/// A copy that shares no cache line with what lies behind it.
Bytes set_apart(const Bytes& content) {
  Bytes copy;
  copy.reserve(content.size() + apart);
  copy.insert(copy.end(), content.begin(), content.end());
  return copy;
}

/// An array, and what calls need. Each caller has its own.
class Coder {
 public:
  Coder(std::string_view codec, const Array& array, std::size_t size)
      : content_(set_apart(repeated(array.content, size))),
        dtype_(array.dtype),
        extent_(Extent::linear(size / size_of(dtype_))),
        decoded_(set_apart(Bytes(size))) {
    options_.tree = codec;
    frame_ = set_apart(Bytes(max_compressed_size(dtype_, extent_, options_).value()));
    compress(1);
    decompress(1);
    if (decoded_ != content_) fail("an array did not come back");
  }
  void compress(unsigned threads) {
    options_.threads = threads;
    frame_bytes_ = compress_into(frame_, content_, dtype_, extent_, options_).value();
  }
  void decompress(unsigned threads) {
    decode_options_.threads = threads;
    const auto reader = Reader::open(std::span(frame_).first(frame_bytes_));
    if (!reader->decompress(decoded_, decode_options_).ok()) fail("a frame cannot be decoded");
  }

 private:
  Bytes content_;
  DType dtype_;
  Extent extent_;
  Options options_;
  DecodeOptions decode_options_;
  Bytes frame_, decoded_;
  std::size_t frame_bytes_ = 0;
};

/// A thread that does what it is given at the same time as its owner. It sleeps in between, so that it
/// disturbs no one.
class Companion {
 public:
  ~Companion() {
    work_ = nullptr;
    tell(wanted);
    thread_.join();
  }
  /// Both begin together. Returns the seconds until both have ended.
  double run_beside(const std::function<void()>& work, const std::function<void()>& own) {
    work_ = work;
    tell(wanted);
    while (state_.load() != ready) {
    }
    const auto begin = Clock::now();
    state_.store(begun);
    own();
    while (state_.load() != idle) {
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

 private:
  enum State : int { idle, wanted, ready, begun };
  void tell(State state) {
    state_.store(state);
    state_.notify_one();
  }
  void serve() {
    while (true) {
      state_.wait(idle);
      if (!work_) return;
      state_.store(ready);
      while (state_.load() != begun) {
      }
      work_();
      state_.store(idle);
    }
  }

  std::function<void()> work_;
  std::atomic<int> state_ = idle;
  std::thread thread_{[this] { serve(); }};
};

using Call = std::function<void(Coder&, unsigned threads)>;

double gain_of_two_threads(Coder& coder, const Call& call, int repetitions, double seconds) {
  return median_of_pairs(
      [&] {
        const double two = seconds_of([&] { call(coder, 2); }, repetitions);
        return seconds_of([&] { call(coder, 1); }, repetitions) / two;
      },
      seconds);
}

/// How many times the work of one two callers do in the same time.
double gain_of_two(Companion& companion, const std::function<void()>& own,
                   const std::function<void()>& others) {
  companion.run_beside(others, own);  // wakes the other processor
  const double two = companion.run_beside(others, own);
  return 2 * seconds_of(own, 1) / two;
}

/// Some tenths of a millisecond without memory: chains of multiplications that fill a port of the processor,
/// and so suffer from whoever shares it.
void count_in_registers() {
  std::uint64_t words[4] = {1, 2, 3, 4};
  for (int i = 0; i < 150000; ++i) {
    for (std::uint64_t& word : words) {
      word = word * 6364136223846793005U + 1;
      asm volatile("" : "+r"(word));
    }
  }
}

/// Of two callers with an array each. Pairs are undisturbed where the loop in registers, before and after,
/// shows two processors.
struct CallersGain {
  double all = 0;          ///< The median of all pairs.
  double undisturbed = 0;  ///< The median of the undisturbed ones, 0 where these were too few.
  double share = 0;        ///< Of pairs that were undisturbed.
};

CallersGain gain_of_two_callers(Coder& coder, Coder& other, Companion& companion, const Call& call,
                                int repetitions, double seconds) {
  const auto calls_of = [&](Coder& of) {
    for (int i = 0; i < repetitions; ++i) call(of, 1);
  };
  const std::function<void()> own = [&] { calls_of(coder); }, others = [&] { calls_of(other); };
  std::vector<double> all, undisturbed;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  double host = gain_of_two(companion, count_in_registers, count_in_registers);
  while (all.size() < fewest_pairs || elapsed() < seconds ||
         (undisturbed.size() < fewest_pairs && elapsed() < patience * seconds)) {
    all.push_back(gain_of_two(companion, own, others));
    const double before = std::exchange(host, gain_of_two(companion, count_in_registers, count_in_registers));
    if (std::min(before, host) >= gain_of_two_processors) undisturbed.push_back(all.back());
  }
  return {median(all), undisturbed.size() < fewest_pairs ? 0 : median(undisturbed),
          static_cast<double>(undisturbed.size()) / static_cast<double>(all.size())};
}

void print_callers(const CallersGain (&gains)[2]) {
  std::printf(",%.3f,%.3f", gains[0].all, gains[1].all);
  for (const CallersGain& gain : gains) {
    if (gain.undisturbed > 0)
      std::printf(",%.3f", gain.undisturbed);
    else
      std::printf(",");
  }
  std::printf(",%.2f\n", (gains[0].share + gains[1].share) / 2);
}

void print_gains(std::string_view codec, const Array& array, std::size_t size, double seconds) {
  Coder coder(codec, array, size), other(codec, array, size);
  Companion companion;
  double threads[2];
  CallersGain callers[2];
  const Call calls[2] = {[](Coder& of, unsigned count) { of.compress(count); },
                         [](Coder& of, unsigned count) { of.decompress(count); }};
  for (int i = 0; i < 2; ++i) {
    const int repetitions =
        1 + static_cast<int>(shortest_run_seconds / seconds_of([&] { calls[i](coder, 1); }, 1));
    threads[i] = gain_of_two_threads(coder, calls[i], repetitions, seconds);
    if (size <= max_of_callers)
      callers[i] = gain_of_two_callers(coder, other, companion, calls[i], repetitions, seconds);
  }
  std::printf("%s,%s,%zu,%s,%.3f,%.3f", std::string(codec).c_str(), std::string(instruction_set()).c_str(),
              size, array.name.c_str(), threads[0], threads[1]);
  if (size <= max_of_callers)
    print_callers(callers);
  else
    std::printf(",,,,,\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace floe::bench

int main(int argument_count, char** texts) {
  const floe::bench::Arguments arguments(argument_count, texts);
  std::printf(
      "codec,isa,bytes,file,compress_threads,decompress_threads,compress_callers,decompress_callers,compress_"
      "callers_undisturbed,"
      "decompress_callers_undisturbed,undisturbed\n");
  for (const char* const codec : floe::bench::codecs) {
    if (!arguments.only.empty() && arguments.only != codec) continue;
    for (const std::size_t size : floe::bench::sizes) {
      for (const floe::bench::Array& array : arguments.arrays) {
        if (array.fits(codec)) floe::bench::print_gains(codec, array, size, arguments.seconds);
      }
    }
  }
  return 0;
}
