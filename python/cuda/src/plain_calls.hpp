// Functions of Python without nanobind's search for overloads and conversions: for the calls of which a GPU
// waits.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <new>
#include <string_view>

#include "../../src/errors.hpp"

namespace floe::python {

inline std::string_view text_of(nanobind::handle object) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) nanobind::raise_python_error();
  return {text, static_cast<std::size_t>(size)};
}

inline std::uint64_t number_of(nanobind::handle object) {
  const std::uint64_t number = PyLong_AsUnsignedLongLong(object.ptr());
  if (number == ~std::uint64_t{0} && PyErr_Occurred() != nullptr) nanobind::raise_python_error();
  return number;
}

inline bool flag_of(nanobind::handle object) {
  const int flag = PyObject_IsTrue(object.ptr());
  if (flag < 0) nanobind::raise_python_error();
  return flag != 0;
}

/// Calls `function` with the given arguments, all by position, and makes exceptions of Python of its own.
template <auto function, Py_ssize_t count>
PyObject* called(PyObject*, PyObject* const* arguments, Py_ssize_t given) noexcept {
  try {
    if (given == count) return function(arguments).release().ptr();
    PyErr_Format(PyExc_TypeError, "%zd arguments instead of %zd", given, count);
  } catch (nanobind::python_error& error) {
    error.restore();
  } catch (const nanobind::builtin_exception& error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  } catch (const Error& error) {
    set_exception(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

inline PyCFunction python_function(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace floe::python
