// The commands. Each takes the whole command line and returns the exit code; failures of single files are
// printed, not thrown.
#pragma once

#include "arguments/arguments.hpp"
#include "base/failure.hpp"

namespace floe::cli {

ExitCode run_compress(const Arguments& arguments);
ExitCode run_decompress(const Arguments& arguments);
ExitCode run_test(const Arguments& arguments);
ExitCode run_list(const Arguments& arguments);
ExitCode run_inspect(const Arguments& arguments);
ExitCode run_plan(const Arguments& arguments);
ExitCode run_codecs(const Arguments& arguments);
ExitCode run_bench(const Arguments& arguments);
ExitCode run_recover(const Arguments& arguments);
ExitCode run_doctor(const Arguments& arguments);
ExitCode run_hdf5(const Arguments& arguments);
ExitCode run_generate(const Arguments& arguments);
ExitCode run_calibrate(const Arguments& arguments);

}  // namespace floe::cli
