// Errors of floe: what went wrong, whose fault it is, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace floe {

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
  Result(T value)  // NOLINT(google-explicit-constructor): returns read naturally
      : value_(std::move(value)) {}
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
