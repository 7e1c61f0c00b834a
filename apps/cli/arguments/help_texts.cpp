#include "arguments/help_texts.hpp"

namespace floe::cli {
namespace {

constexpr const char* content_help =
    "What a FILE holds is recognised, and said in the summary:\n"
    "  array     .npy files by their header; others by names such as x_f32_26x1800x3600.bin,\n"
    "            NAME_26_1800_3600.f32 or x.f64; or by --dtype and --shape\n"
    "  table     CSV text with one of , ; tab | between cells, by its content or its name;\n"
    "            binary records with --schema\n"
    "  packed    .npz files: each array becomes a file of its own; .csv.gz: the text in it\n"
    "  tensors   .safetensors files: each tensor by its type, into a file that is one of these, too\n"
    "  bytes     everything else\n"
    "Every bit comes back. Types: f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool.\n"
    "Header files (--schema) have a line name,type,precision for each column; types are these, and time\n"
    "char short int unsigned float double text.\n";

}  // namespace

HelpText main_help() {
  return {
      "floe: lossless compression of arrays and tables of numbers",
      "floe [OPTIONS] [FILE...]\n"
      "       floe COMMAND [OPTIONS] [FILE...]      (floe COMMAND --help says more)\n\n"
      "Compresses each FILE to FILE.floe and keeps FILE. No FILE, or -, is standard input and goes to "
      "standard output.\n\n"
      "Commands:\n"
      "  compress                 What floe does without a command\n"
      "  decompress               As floe -d\n"
      "  test                     As floe -t\n"
      "  list                     As floe -l\n"
      "  inspect                  Say all about compressed files\n"
      "  plan                     Say how files would be encoded, and why\n"
      "  codecs                   List the codecs and the types that they take\n"
      "  bench                    Measure ratio and speed of codecs, goals and trees on files\n"
      "  recover                  Save what is intact of damaged files\n"
      "  doctor                   Say what of floe works here, and how to mend what does not\n"
      "  hdf5                     Print the parameters of the filter for HDF5 and NetCDF\n"
      "  series                   Tables with the options of another program (floe series --help)",
      std::string(content_help) + tree_help + size_help +
          "\nExit codes: 0 all is well, 1 error, 2 wrong usage, 3 damaged file, 4 verification failed;\n"
          "with several files the largest of theirs.\n"
          "\nExamples:\n"
          "  floe temperature_f32_26x1800x3600.bin        write temperature_f32_26x1800x3600.bin.floe\n"
          "  floe prices.csv field.npy                    write prices.csv.floe and field.npy.floe\n"
          "  floe --verify model.safetensors              write model.safetensors.floe; floe -d restores it\n"
          "  floe --dtype f64 --shape 1143x1018 --goal ratio orbit.dat\n"
          "  floe -d orbit.dat.floe                       write orbit.dat again\n"
          "  floe -d --slice 5000:100 -o part.f64 orbit.dat.floe\n"
          "  floe -d --columns time,price --rows 5000:100 -c prices.csv.floe\n"
          "  floe --verify --rm *.npy                     replace files by compressed ones that were "
          "read back\n"
          "  generate | floe --dtype f32 > run.floe\n"};
}

HelpText help_of(Command command) {
  switch (command) {
    case Command::compress:
      return {"floe compress: writes FILE.floe for each FILE and keeps FILE",
              "floe compress [OPTIONS] [FILE...]",
              std::string(content_help) + tree_help + size_help +
                  "\nExamples:\n"
                  "  floe compress --dtype f32 --shape 26x1800x3600 model.dat\n"
                  "  floe compress --codec gfc --dim 8 -o orbit.floe orbit.f64\n"
                  "  floe compress --tree price=decimal(2),delta,entropy,raw,raw prices.csv\n"
                  "  floe compress --schema record.inf --padding 4 log.bin\n"
                  "  gunzip < trades.csv.gz | floe > trades.csv.floe\n"};
    case Command::decompress:
      return {"floe decompress: writes FILE for each FILE.floe, and keeps FILE.floe",
              "floe decompress [OPTIONS] [FILE...]",
              std::string("All comes back as it was. Parts of tables come as CSV text with a row of names; "
                          "--as csv makes text of\n"
                          "records, and --as records makes records of the values of a text. What parts do "
                          "not need is not read.\n") +
                  size_help +
                  "\nExamples:\n"
                  "  floe decompress orbit.f64.floe\n"
                  "  floe decompress -c orbit.f64.floe | program\n"
                  "  floe decompress --slice 5000:100 -o part.f64 orbit.f64.floe\n"
                  "  floe decompress --columns time,voltage --rows 5000:100 -c sensors.csv.floe\n"};
    case Command::test:
      return {"floe test: decodes FILE.floe and checks every part of it, and writes nothing",
              "floe test [OPTIONS] [FILE...]", size_help};
    case Command::list:
      return {"floe list: one line per compressed file", "floe list [OPTIONS] FILE...", ""};
    case Command::inspect:
      return {"floe inspect: says all that compressed files say about themselves, without decoding them",
              "floe inspect [OPTIONS] FILE...", ""};
    case Command::plan:
      return {
          "floe plan: says how files would be encoded, and why; writes nothing but a picture",
          "floe plan [OPTIONS] [FILE...]",
          std::string(content_help) + tree_help + size_help +
              "\nFor each stream of words: the trees that could encode it, smallest estimate first, what a "
              "sample lets expect of them,\n"
              "and what they make of the whole segment, and how fast one thread encodes and decodes the "
              "words with them, by the times of\n"
              "encodings and measured now. * marks the tree that is used, + those that no other beats in "
              "size and speed of decoding.\n"
              "\nExamples:\n"
              "  floe plan sensors.csv\n"
              "  floe plan --goal ratio -v field.npy\n"
              "  floe plan --picture sensors.html --segment-rows 65536 sensors.csv\n"};
    case Command::codecs:
      return {"floe codecs: lists the codecs and the types that they take", "floe codecs [OPTIONS]", ""};
    case Command::bench:
      return {
          "floe bench: measures ratio and speed on files, in memory, and checks that every bit comes back",
          "floe bench [OPTIONS] FILE...",
          std::string("Arrays are measured with the codecs that take their type, tables with all goals; "
                      "--goal and --tree add rows,\n"
                      "--codec none leaves the codecs out. Medians, with the range in parentheses. The last "
                      "lines are what memory can do:\n"
                      "the same threads read the same bytes, and copy them past the caches and with memcpy, "
                      "in the same runs.\n") +
              content_help + tree_help + size_help +
              "\nExamples:\n"
              "  floe bench orbit.f64\n"
              "  floe bench --codec none --goal speed,balance,ratio,max --tree "
              "decimal(2),delta,entropy,raw,raw "
              "x.f64\n"
              "  floe bench --goal speed,balance,ratio --picture bench.html *.npy\n"
              "  floe bench --codec spspeed,spratio --threads 1,2 --size 8M,256M --json *.f32\n"};
    case Command::recover:
      return {
          "floe recover: writes what is intact of each FILE to FILE.recovered, and says what is lost",
          "floe recover [OPTIONS] FILE...",
          std::string("FILE may be cut off at either end, and anything in it may be damaged. All segments "
                      "that are found are decoded, of codecs\n"
                      "all chunks of 16 KiB, of tables all columns. Lost elements and records become zero "
                      "bytes, lost rows of CSV text are left\n"
                      "out, lost cells are empty. The exit code is 0 if nothing is lost, else 3.\n") +
              size_help +
              "\nExamples:\n"
              "  floe recover orbit.f64.floe\n"
              "  floe recover --json -o part.csv prices.csv.floe > lost.json\n"
              "  floe recover --like monday.npy.floe tuesday.npy.floe\n"};
    case Command::doctor:
      return {"floe doctor: says what of floe works here, and how to mend what does not",
              "floe doctor [OPTIONS]",
              "This program, GPUs, the filter of HDF5, the package of Python and the library for MPI are ok, "
              "absent, "
              "or broken:\nthen the exit code is 1.\n"};
    case Command::hdf5:
      return {
          "floe hdf5: prints what h5repack and nccopy need to compress with the filter",
          "floe hdf5 [OPTIONS]",
          std::string(tree_help) +
              "\nThe number of the filter is one for tests, not registered with the HDF Group. The plugin "
              "must be where HDF5 finds it;\nfloe doctor says whether it is.\n"
              "\nExamples:\n"
              "  h5repack $(floe hdf5 --parameters --goal ratio | head -1) in.h5 out.h5\n"
              "  floe hdf5 --tree sortable,delta,entropy\n"};
    case Command::generate:
    case Command::calibrate:
      break;
  }
  return {};
}

}  // namespace floe::cli
