// Errors of the library as exceptions of Python, and exceptions of callbacks through the library.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <utility>

#include "floe/types.hpp"

namespace floe::python {

/// Makes every floe::Error an exception of floe/_errors.py.
void register_errors();

/// Sets Python's exception for an error, as functions do that nanobind does not call.
void set_exception(const Error& error);

/// Calls functions of Python from within the library, which no exception passes: it waits here until the
/// library has returned.
class Callbacks {
 public:
  Callbacks() = default;
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

  /// Runs `call` with the GIL. After an exception, and after Ctrl-C, nothing is called any more.
  template <class Call>
  Status run(Call&& call) {
    const nanobind::gil_scoped_acquire gil;
    if (thrown_) return stopped();
    try {
      if (PyErr_CheckSignals() != 0) nanobind::raise_python_error();
      std::forward<Call>(call)();
      return {};
    } catch (...) {
      thrown_ = std::current_exception();
      return stopped();
    }
  }
  [[nodiscard]] Status state() const { return thrown_ ? stopped() : Status{}; }
  /// Throws what a callback threw, else what the status says. With the GIL.
  void check(const Status& status) const {
    if (thrown_) std::rethrow_exception(thrown_);
    status.or_throw();
  }

 private:
  static Status stopped() { return {ErrorCode::io_error, 0, "a callback failed"}; }

  std::exception_ptr thrown_;
};

}  // namespace floe::python
