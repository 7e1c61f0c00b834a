// Bytes, callbacks and options of decoding, from C to C++.
#pragma once

#include <cstddef>
#include <span>

#include "api/c/arguments.hpp"
#include "core/guard.hpp"

namespace floe::c_abi {

inline std::span<const std::byte> bytes(const void* data, std::size_t count) {
  return {static_cast<const std::byte*>(data), count};
}
inline std::span<std::byte> bytes(void* data, std::size_t count) {
  return {static_cast<std::byte*>(data), count};
}

/// Null stays null; else `keeper` becomes what the pointer leads to.
inline const Executor* to_cpp(floe_executor executor, void* user, Executor& keeper) {
  if (executor == nullptr) return nullptr;
  keeper = [executor, user](std::uint32_t count, const Task& task) {
    const floe_task call = [](void* context, std::uint32_t index) {
      (*static_cast<const Task*>(context))(index);
    };
    executor(user, count, call,
             const_cast<Task*>(&task));  // C has no pointer that only reads here; `call` does
  };
  return &keeper;
}

/// `keeper` as above.
inline Result<DecodeOptions> to_cpp(const floe_decode_options* given, Executor& keeper) {
  constexpr std::size_t first_bytes = offsetof(floe_decode_options, executor_user) + sizeof(void*);
  const auto known = known_part(given, floe_decode_options_default, first_bytes);
  if (!known) return known.status();
  return DecodeOptions{known->threads, to_cpp(known->executor, known->executor_user, keeper),
                       known->memory_limit_bytes, to_cpp(known->accelerator), nullptr};
}

/// All options. `keeper` as above.
inline Result<Options> to_cpp(const floe_options* given, Executor& keeper) {
  const auto known = known_part(given);
  if (!known) return known.status();
  auto options = to_cpp(*known);
  if (options) options->executor = to_cpp(known->executor, known->executor_user, keeper);
  return options;
}

/// Calls `work` with the options, and makes what it throws a status. `work` returns a status.
template <class COptions, class Work>
floe_status with_options(const COptions* given, const Work& work) {
  return to_c(core::guarded([&]() -> Status {
    Executor executor;
    const auto known = to_cpp(given, executor);
    return known ? work(*known) : known.status();
  }));
}

inline Sink to_cpp(floe_sink sink, void* user) {
  return [sink, user](std::span<const std::byte> part) {
    if (sink(user, part.data(), part.size()) == 0) return Status{};
    return Status{ErrorCode::io_error, 0, "the caller's sink stopped the stream"};
  };
}

inline ReadAt to_cpp(floe_read_at read_at, void* user) {
  return [read_at, user](std::uint64_t offset, std::span<std::byte> to) {
    if (read_at(user, offset, to.data(), to.size()) == 0) return Status{};
    return Status{ErrorCode::io_error, offset, "the caller's function could not read"};
  };
}

}  // namespace floe::c_abi
