// What options of a table make sense.
#pragma once

#include "floe/floe.hpp"

namespace floe::pipeline {

/// Checks the options of a table. Errors: invalid_argument.
Status check_table_options(const TableOptions& table, const Options& options);

}  // namespace floe::pipeline
