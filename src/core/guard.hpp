// The edge between code that throws std::bad_alloc and callers that get a Status.
#pragma once

#include <new>
#include <stdexcept>
#include <utility>

#include "floe/types.hpp"

namespace floe::core {

/// Calls `work`, which returns a Status or a Result; a failed allocation becomes out_of_memory.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return Status{ErrorCode::out_of_memory, 0, "no memory"};
  } catch (const std::length_error&) {  // a vector of more bytes than there are addresses
    return Status{ErrorCode::out_of_memory, 0, "no memory"};
  }
}

/// The same for the steps of a stream: after a step that failed, none is run, and all return the failure of
/// that one. A step that throws, as a caller's sink may, counts as failed.
template <class Step>
Status run_until_failure(Status& failure, Step&& step) {
  if (!failure.ok()) return failure;
  failure = {ErrorCode::io_error, 0, "the caller's function threw an exception"};
  failure = guarded(std::forward<Step>(step));
  return failure;
}

}  // namespace floe::core
