#include "errors.hpp"

namespace nb = nanobind;

namespace floe::python {

void set_exception(const Error& error) {
  const Status& status = error.status();
  try {
    const nb::object made = nb::module_::import_("floe._errors")
                                .attr("error_of")(name_of(status.code), status.byte_offset, status.detail);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  } catch (nb::python_error& other) {
    other.restore();
  }
}

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      set_exception(error);
    }
  });
}

}  // namespace floe::python
