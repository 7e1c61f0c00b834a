// Runs fuzz targets without a fuzzer, by any compiler: on all inputs of a file, then on changes of them.
//
// Usage: fuzz_replay TARGET FILE [SECONDS [SEED]]. FILE holds inputs, each behind its length of four bytes,
// as campaign.py --pack writes them.
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string_view>

#include "fuzz/support.hpp"

#define FLOE_TARGET(name) extern "C" int name(const std::uint8_t* data, std::size_t size);
#include "fuzz_targets.inc"
#undef FLOE_TARGET

namespace floe::fuzz {
namespace {

using Target = int (*)(const std::uint8_t* data, std::size_t size);

Target target_of(std::string_view name) {
#define FLOE_TARGET(target) \
  if (name == #target) return target;
#include "fuzz_targets.inc"
#undef FLOE_TARGET
  return nullptr;
}

Bytes running;  ///< What the target has got.

/// Leaves the input that broke a promise.
void keep_finding(int signal) {
  std::ofstream("fuzz-finding", std::ios::binary)
      .write(reinterpret_cast<const char*>(running.data()), static_cast<std::streamsize>(running.size()));
  std::signal(signal, SIG_DFL);
  static_cast<void>(::raise(signal));
}

std::vector<Bytes> read_inputs(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<Bytes> inputs;
  for (std::size_t at = 0; all.size() - at >= 4;) {
    std::uint32_t length = 0;
    std::memcpy(&length, all.data() + at, sizeof length);
    at += 4;
    if (length > all.size() - at) return {};
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
    inputs.emplace_back(begin, begin + length);
    at += length;
  }
  return inputs;
}

/// One to four changes: bytes set, bits flipped, small steps, parts of other inputs, ends cut off.
void change(Bytes& bytes, const std::vector<Bytes>& inputs, Chance& chance) {
  for (std::size_t changes = 1 + chance.below(4); changes > 0; --changes) {
    if (bytes.empty()) bytes.push_back(0);
    const std::size_t at =
        chance.below(chance.below(2) == 0 ? std::min<std::size_t>(bytes.size(), 32) : bytes.size());
    const Bytes& other = inputs[chance.below(inputs.size())];
    switch (chance.below(8)) {
      case 0:
        bytes.resize(at + 1);
        break;
      case 1:
        if (bytes.size() < 2000)
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), other.begin(), other.end());
        break;
      case 2:
        for (std::size_t i = at; i < std::min(bytes.size(), other.size()); ++i) bytes[i] = other[i];
        break;
      case 3:
        bytes[at] = static_cast<std::uint8_t>(bytes[at] + (chance.below(2) == 0 ? 1 : 255));
        break;
      case 4:
        bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1U << chance.below(8)));
        break;
      default:
        bytes[at] = static_cast<std::uint8_t>(chance.next());
    }
  }
}

int replay(Target target, const std::vector<Bytes>& inputs, double seconds, std::uint64_t seed) {
  std::uint64_t executions = 0;
  const auto run = [&](const Bytes& input) {
    running = input;
    target(running.data(), running.size());
    ++executions;
  };
  for (const Bytes& input : inputs) run(input);
  std::fprintf(stderr, "%zu inputs\n", inputs.size());
  const auto number = std::span(reinterpret_cast<const std::uint8_t*>(&seed), sizeof seed);
  Chance chance(number);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (seconds > 0 && std::chrono::steady_clock::now() < end) {
    Bytes changed = inputs[chance.below(inputs.size())];
    change(changed, inputs, chance);
    run(changed);
  }
  std::fprintf(stderr, "stat::number_of_executed_units: %llu\n", static_cast<unsigned long long>(executions));
  return 0;
}

}  // namespace
}  // namespace floe::fuzz

/// Targets with a mutator of their own call it in a fuzzer only.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) { return size; }

int main(int count, char** words) {
  using namespace floe::fuzz;
  const Target target = count < 3 ? nullptr : target_of(words[1]);
  const std::vector<Bytes> inputs = target == nullptr ? std::vector<Bytes>{} : read_inputs(words[2]);
  if (inputs.empty()) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET FILE [SECONDS [SEED]]\n");
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, keep_finding);
  return replay(target, inputs, count > 3 ? std::strtod(words[3], nullptr) : 0,
                count > 4 ? std::strtoull(words[4], nullptr, 10) : 1);
}
