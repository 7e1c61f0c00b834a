// What gzip files and members of ZIP files hold, as it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace floe::cli {

enum class Packing { stored, deflate, gzip };

/// What a ZIP file says of a member before it is read.
struct PackedContent {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
};

/// Bounded memory, whatever the bytes say.
class Unpacker {
 public:
  /// Fills memory, or as much of it as there are bytes left.
  using Reader = std::function<std::size_t(std::span<std::byte>)>;

  /// `label`: what failures call it. `content`: what must come out, if that is known.
  Unpacker(Packing packing, std::optional<PackedContent> content, std::string label);
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// The next bytes: as many as `out` holds, fewer only at the end. Throws a Failure if the packed bytes are
  /// damaged or end early.
  std::size_t read(std::span<std::byte> out, const Reader& read_packed);
  [[nodiscard]] std::optional<std::uint64_t> size_bytes() const noexcept;

 private:
  struct Stream;

  /// Returns whether there are packed bytes.
  bool refill(const Reader& read_packed);
  std::size_t inflate_some(std::span<std::byte> out, const Reader& read_packed);
  void check(std::span<const std::byte> out);

  Packing packing_;
  std::optional<PackedContent> content_;
  std::string label_;
  std::unique_ptr<Stream> stream_;
  bool has_ended_ = false;
  std::uint64_t unpacked_bytes_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace floe::cli
