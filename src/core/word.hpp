// The word: what every stage works on. Floating-point values enter as their bits and are never looked at as
// numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Marks a formula that CPU and GPU code share.
#if defined(__CUDACC__)
#define FLOE_HD __host__ __device__
#else
#define FLOE_HD
#endif

namespace floe::core {

template <class T>
concept Word = std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;

template <Word W>
inline constexpr unsigned word_bits = 8 * sizeof(W);

/// Little-endian load of one word from any address. The format is little-endian; so is every machine we build
/// for.
template <Word W>
inline W load(const std::uint8_t* from) noexcept {
  W word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

template <Word W>
inline void store(std::uint8_t* to, W word) noexcept {
  std::memcpy(to, &word, sizeof word);
}

/// That of four which is for words W.
template <Word W>
constexpr const auto& of_word(const auto& of_u8, const auto& of_u16, const auto& of_u32,
                              const auto& of_u64) noexcept {
  if constexpr (sizeof(W) == 1)
    return of_u8;
  else if constexpr (sizeof(W) == 2)
    return of_u16;
  else if constexpr (sizeof(W) == 4)
    return of_u32;
  else
    return of_u64;
}

}  // namespace floe::core
