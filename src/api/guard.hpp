// The edge between code that throws std::bad_alloc and callers that get a Status.
#pragma once

#include <new>
#include <utility>

#include "floe/error.hpp"

namespace floe::api {

/// Calls `work`, which returns a Status or a Result; a failed allocation becomes out_of_memory.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return Status{ErrorCode::out_of_memory, 0, "no memory"};
  }
}

}  // namespace floe::api
