// What the memory of this machine can do: the speeds that those of the codecs are held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace floe::cli {

/// Seconds that work(0) ... work(threads - 1) take, each in a thread of its own; these are there before the
/// clock starts.
double timed(std::uint32_t threads, const std::function<void(std::uint32_t index)>& work);

/// Part `index` of `count` parts of equal length, but for the last one.
template <class Byte>
std::span<Byte> part_of(std::span<Byte> bytes, std::uint32_t index, std::uint32_t count) {
  const std::size_t each = bytes.size() / count, begin = each * index;
  return bytes.subspan(begin, index + 1 == count ? bytes.size() - begin : each);
}

/// memcpy.
void copy(std::span<std::byte> to, std::span<const std::byte> from);

/// Copies past the caches, so that what is written need not be read before.
void copy_past_caches(std::span<std::byte> to, std::span<const std::byte> from);

/// Reads everything and returns a sum, which the caller must use.
std::uint64_t sum_of_words(std::span<const std::byte> bytes);

}  // namespace floe::cli
