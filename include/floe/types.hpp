// Element types and shapes of arrays, and errors: what went wrong, whose fault it is, and where.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)

namespace floe {

// ---- elements and shapes

/// Types of elements of arrays, of values in columns of tables, and of words in streams. The numbers are part
/// of the file format and of the C ABI: append, never renumber.
enum class DType : std::uint8_t {
  f64 = 1,
  f32 = 2,
  f16 = 3,
  bf16 = 4,
  i8 = 5,
  i16 = 6,
  i32 = 7,
  i64 = 8,
  u8 = 9,
  u16 = 10,
  u32 = 11,
  u64 = 12,
  boolean = 13,  ///< One byte, of any value.
  time = 14,     ///< Columns only: an i64.
  text = 15,     ///< Columns only.
};

/// Bytes per element: 1, 2, 4 or 8. 0 for text, and for a number that is no DType.
constexpr std::size_t size_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::f64:
    case DType::i64:
    case DType::u64:
    case DType::time:
      return 8;
    case DType::f32:
    case DType::i32:
    case DType::u32:
      return 4;
    case DType::f16:
    case DType::bf16:
    case DType::i16:
    case DType::u16:
      return 2;
    case DType::i8:
    case DType::u8:
    case DType::boolean:
      return 1;
    case DType::text:
      break;
  }
  return 0;
}
/// Whether an array can have elements of this type.
constexpr bool is_element_type(DType dtype) noexcept {
  return dtype >= DType::f64 && dtype <= DType::boolean;
}

/// "f64", "bf16", "u8" ... "bool", "time", "text"; "unknown" for a number that is no DType.
std::string_view name_of(DType dtype) noexcept;
/// The inverse of name_of; nothing for any other text.
std::optional<DType> dtype_from_name(std::string_view name) noexcept;

/// C++ types that have a DType. f16 and bf16 arrays go through the functions that take bytes and a DType.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> ||
    (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8);

template <Element T>
constexpr DType dtype_of() noexcept {
  if constexpr (std::same_as<T, double>)
    return DType::f64;
  else if constexpr (std::same_as<T, float>)
    return DType::f32;
  else if constexpr (std::signed_integral<T>)
    return sizeof(T) == 8   ? DType::i64
           : sizeof(T) == 4 ? DType::i32
           : sizeof(T) == 2 ? DType::i16
                            : DType::i8;
  else
    return sizeof(T) == 8   ? DType::u64
           : sizeof(T) == 4 ? DType::u32
           : sizeof(T) == 2 ? DType::u16
                            : DType::u8;
}

inline constexpr std::uint32_t max_rank = 8;

/// The shape of an array, slowest-varying dimension first. Rank 0 is a scalar of one element.
struct Extent {
  std::array<std::uint64_t, max_rank> size{};
  std::uint32_t rank = 1;

  static constexpr Extent linear(std::uint64_t elements) noexcept { return Extent{{elements}, 1}; }
  /// The product of all dimensions; nothing if it does not fit 64 bits.
  [[nodiscard]] std::optional<std::uint64_t> element_count() const noexcept;
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// A range of elements in memory order.
struct Slice {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

// ---- errors

/// The numbers are part of the C ABI: append, never renumber.
enum class ErrorCode : std::uint32_t {
  ok = 0,
  invalid_argument =
      1,  ///< The caller's fault: an option, a size or a shape that makes no sense. Nothing was done.
  output_too_small = 2,     ///< The caller's buffer cannot hold the result. Its contents are unspecified.
  corrupt_frame = 3,        ///< The bytes contradict the format: they were changed, or are no frame.
  truncated_frame = 4,      ///< The bytes end too early: more bytes may repair it.
  unsupported_version = 5,  ///< Written by a newer floe: a format version, a feature or an encoding that this
                            ///< one does not know.
  unsupported_codec = 6,    ///< A codec that is unknown, or that cannot take this type.
  out_of_memory = 7,        ///< Allocation failed, or `memory_limit_bytes` would be exceeded.
  device_error = 8,
  io_error = 9,  ///< A caller-supplied reader or writer failed.
};

/// Static name of a code, such as "corrupt_frame".
const char* name_of(ErrorCode code) noexcept;

/// The outcome of an operation. Cheap to copy; never allocates.
struct [[nodiscard]] Status {
  ErrorCode code = ErrorCode::ok;
  std::uint64_t byte_offset = 0;  ///< For corrupt_frame and truncated_frame: where in the frame.
  const char* detail = "";        ///< Static text, safe to keep.

  [[nodiscard]] constexpr bool ok() const noexcept { return code == ErrorCode::ok; }
  /// One line for people: "corrupt_frame at byte 4711: chunk checksum does not match".
  [[nodiscard]] std::string message() const;
  /// Throws floe::Error unless ok. Nothing else in floe throws, except Result::value().
  void or_throw() const;
};

/// What or_throw and value throw.
class Error : public std::runtime_error {
 public:
  explicit Error(const Status& status) : std::runtime_error(status.message()), status_(status) {}
  [[nodiscard]] const Status& status() const noexcept { return status_; }

 private:
  Status status_;
};

/// A value, or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(const T& value) : value_(value) {}  // NOLINT(google-explicit-constructor): returns read naturally
  Result(T&& value) : value_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(const Status& failure) : status_(failure) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const noexcept { return value_.has_value(); }
  [[nodiscard]] const Status& status() const noexcept { return status_; }
  T& operator*() noexcept { return *value_; }
  const T& operator*() const noexcept { return *value_; }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }
  /// The value; throws floe::Error if there is none.
  T value() && {
    status_.or_throw();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace floe

#pragma GCC visibility pop
