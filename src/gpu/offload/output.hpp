// Where do the results of devices go? To memory of the caller, or to a sink.
#pragma once

#include <cstdint>
#include <span>

#include "floe/floe.hpp"

namespace floe::offload {

class Output {
 public:
  virtual ~Output() = default;
  /// The memory that the next `bytes` bytes belong to; empty for a sink. Called in the order of the bytes.
  /// Errors: output_too_small.
  virtual Result<std::span<std::uint8_t>> place(std::uint64_t bytes) = 0;
  /// Takes what belongs at `target`, which place() returned, and may lie there already. Called in the same
  /// order.
  virtual Status take(std::span<const std::uint8_t> bytes, std::span<std::uint8_t> target) = 0;
  /// Whether a device can write to the memory that place() returns.
  [[nodiscard]] virtual bool reachable() const = 0;

  /// For bytes that no device makes.
  Status append(std::span<const std::uint8_t> bytes) {
    const auto target = place(bytes.size());
    return target ? take(bytes, *target) : target.status();
  }
};

/// Memory of the caller, filled from its begin.
class MemoryOutput final : public Output {
 public:
  MemoryOutput(std::span<std::uint8_t> memory, bool reachable, std::uint32_t threads)
      : memory_(memory), reachable_(reachable), threads_(threads) {}
  Result<std::span<std::uint8_t>> place(std::uint64_t bytes) override;
  Status take(std::span<const std::uint8_t> bytes, std::span<std::uint8_t> target) override;
  [[nodiscard]] bool reachable() const override { return reachable_; }
  [[nodiscard]] std::uint64_t placed_bytes() const noexcept { return placed_bytes_; }

 private:
  std::span<std::uint8_t> memory_;
  bool reachable_;
  std::uint32_t threads_;
  std::uint64_t placed_bytes_ = 0;
};

class SinkOutput final : public Output {
 public:
  explicit SinkOutput(Sink sink) : sink_(std::move(sink)) {}
  Result<std::span<std::uint8_t>> place(std::uint64_t) override { return std::span<std::uint8_t>{}; }
  Status take(std::span<const std::uint8_t> bytes, std::span<std::uint8_t>) override {
    return sink_(std::as_bytes(bytes));
  }
  [[nodiscard]] bool reachable() const override { return false; }

 private:
  Sink sink_;
};

/// Copies between memories of the host with several threads; 0 is as many as there are. `to` is as long as
/// `from`.
void copy_bytes(std::span<std::uint8_t> to, std::span<const std::uint8_t> from, std::uint32_t threads);

}  // namespace floe::offload
