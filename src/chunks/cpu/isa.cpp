#include "chunks/cpu/isa.hpp"

#include <array>
#include <cstdlib>

namespace floe::cpu {
namespace {

bool is_available(Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa == Isa::avx2)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  if (isa == Isa::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vnni") &&
           __builtin_cpu_supports("gfni") && __builtin_cpu_supports("bmi2");
#elif defined(__aarch64__)
  if (isa == Isa::neon) return true;
#endif
  return isa == Isa::generic;
}

struct Isas {
  std::array<Isa, 4> list{};
  std::size_t count = 0;
};

Isas find_available() noexcept {
  Isas found;
  for (const Isa isa : {Isa::generic, Isa::avx2, Isa::avx512, Isa::neon}) {
    if (is_available(isa)) found.list[found.count++] = isa;
  }
  return found;
}

}  // namespace

std::string_view name_of(Isa isa) noexcept {
  constexpr std::string_view names[] = {"generic", "avx2", "avx512", "neon"};
  return names[static_cast<std::size_t>(isa)];
}

std::span<const Isa> available_isas() noexcept {
  static const Isas found = find_available();
  return std::span(found.list).first(found.count);
}

Isa active_isa() noexcept {
  static const Isa active = [] {
    const auto available = available_isas();
    if (const char* wanted = std::getenv("FLOE_ISA")) {
      for (const Isa isa : available) {
        if (name_of(isa) == wanted) return isa;
      }
    }
    return available.back();
  }();
  return active;
}

}  // namespace floe::cpu
