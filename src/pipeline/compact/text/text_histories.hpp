// What bits there were in a context, by hashes of contexts: docs/format/text.md, "Histories".
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace floe::pipeline {

class TextHistories {
 public:
  /// May throw std::bad_alloc.
  explicit TextHistories(std::uint64_t byte_count)
      : buckets_(static_cast<std::size_t>(bucket_count(byte_count))),
        mask_(static_cast<std::uint32_t>(buckets_.size() - 1)) {}

  [[nodiscard]] static std::uint64_t memory_bytes(std::uint64_t byte_count) noexcept {
    return bucket_count(byte_count) * sizeof(Bucket);
  }
  /// Of one of the contexts that find() will be asked for.
  void prefetch(std::uint32_t context) const noexcept { __builtin_prefetch(&buckets_[context & mask_], 1); }
  /// The histories of the nodes of a group, node 1 first. Of those that share a bucket, one that tells least
  /// makes room.
  [[nodiscard]] std::uint8_t* find(std::uint32_t context, std::uint32_t check_hash) noexcept {
    Bucket& bucket = buckets_[context & mask_];
    const auto check = static_cast<std::uint8_t>(check_hash >> 24 | 1);
    for (std::size_t i = 0; i < bucket.checks.size(); ++i) {
      if (bucket.checks[i] == check) return bucket.histories[i].data();
    }
    return make_room(bucket, check);
  }

 private:
  using Group = std::array<std::uint8_t, 15>;
  /// As a line of a cache.
  struct alignas(64) Bucket {
    std::array<std::uint8_t, 4> checks;
    std::array<Group, 4> histories;
  };

  [[nodiscard]] static std::uint64_t bucket_count(std::uint64_t byte_count) noexcept {
    constexpr std::uint64_t min_buckets = std::uint64_t{1} << 10, max_buckets = std::uint64_t{1} << 18;
    return std::clamp(std::bit_ceil((byte_count + 1) / 2), min_buckets, max_buckets);
  }
  static std::uint8_t* make_room(Bucket& bucket, std::uint8_t check) noexcept;

  std::vector<Bucket> buckets_;
  std::uint32_t mask_;
};

}  // namespace floe::pipeline
