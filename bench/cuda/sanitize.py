"""Runs each test of a device by itself with each tool of compute-sanitizer, several at a time on all GPUs.

    python3 -B bench/cuda/sanitize.py PROGRAM RESULTS [--tools memcheck,racecheck] [--rounds 2] [--per-gpu 8]

PROGRAM is cuda_device_tests. RESULTS/TOOL.txt says which tests ended in how many seconds, where accesses are that the
tool reports and how often, and which kernels no test launched that ended, or not while the tool watched. Ends with 1
if a test fails or is killed, or a kernel was not watched; what a tool reports has to be read.
"""
import argparse
import collections
import concurrent.futures
import os
import queue
import re
import subprocess
import sys
import time

OPTIONS = {"memcheck": ["--leak-check", "no"], "synccheck": ["--num-cuda-barriers", "8192"], "initcheck": [],
           "racecheck": []}
LEFT_OUT = re.compile(r"4GiB|DeviceReset\.|Arguments\.|NeedNoDevice")  # too large; not survived; use no device
SEVERAL_GPUS = re.compile(r"Ranks\.|AllDevices")
UNWATCHED = re.compile(r"while launching (\S+) and didn't track")
PLACE = re.compile(r"^=+ +(?:Error: |Warning: )?"
                   r"((?:Race reported|and \w+ access|at |Invalid|Uninitialized|Barrier|Program hit).*)")
VARYING = re.compile(r"\+0x[0-9a-f]+|\(0x[0-9a-f]+\)|\[\d+ hazards?\]")


def tests_of(program):
    listing = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    tests, suite = [], ""
    for line in listing.splitlines():
        name = line.split("#")[0].rstrip()
        if name.endswith(".") and not name.startswith(" "):
            suite = name
        elif name.startswith("  "):
            tests.append(suite + name.strip())
    return [test for test in tests if not LEFT_OUT.search(test)]


class Sanitizer:
    def __init__(self, arguments, gpus):
        self.arguments, self.gpu_count = arguments, gpus
        self.slots = queue.Queue()
        for slot in range(gpus * arguments.per_gpu):
            self.slots.put(slot % gpus)

    def environment(self, test, gpu, kernels):
        seen = [gpu, (gpu + 1) % self.gpu_count] if SEVERAL_GPUS.search(test) and self.gpu_count > 1 else [gpu]
        return {**os.environ, "CUDA_VISIBLE_DEVICES": ",".join(map(str, seen)), "FLOE_LAUNCHED_KERNELS": kernels,
                "FLOE_DEVICE_TEST_ROUNDS": str(self.arguments.rounds)}

    def run(self, tool, test):
        """Seconds, whether the test ended well, places of reports, kernels launched and watched, and all."""
        gpu = self.slots.get()
        name = os.path.join(self.arguments.results, f"{tool}.{test.replace('/', '_')}")
        command = ["compute-sanitizer", "--tool", tool, "--print-limit", "0", "--show-backtrace", "device",
                   *OPTIONS[tool], self.arguments.program, f"--gtest_filter={test}"]
        limited = ["timeout", "-s", "KILL", str(self.arguments.limit), *command]
        environment = self.environment(test, gpu, name + ".kernels")
        begin = time.monotonic()
        try:
            with open(name + ".log", "w") as log:
                code = subprocess.run(limited, stdout=log, stderr=subprocess.STDOUT, env=environment).returncode
        finally:
            self.slots.put(gpu)
        places, unwatched, passed = collections.Counter(), set(), False
        with open(name + ".log", errors="replace") as log:
            for line in log:
                passed |= line.startswith("[  PASSED  ] 1 test")
                unwatched.update(UNWATCHED.findall(line))
                if place := PLACE.match(line):
                    places[VARYING.sub("", place[1]).strip()] += 1
        launched, known = set(), set()
        if os.path.exists(name + ".kernels"):
            for line in open(name + ".kernels"):
                known.add(line.split()[-1])
                if line.startswith("launched "):
                    launched.add(line.split()[-1])
            os.remove(name + ".kernels")
        ended = code == 0 and passed
        if ended:
            os.remove(name + ".log")
        return time.monotonic() - begin, ended, places, launched - unwatched if ended else set(), known


def report(path, results):
    """Writes what was found; returns whether all tests ended and all kernels were watched."""
    places, watched, known = collections.Counter(), set(), set()
    with open(path, "w") as file:
        for test, (seconds, ended, found, launched, all_kernels) in sorted(results.items()):
            state = "ended" if ended else "FAILED"
            print(f"{state} {test} {seconds:.0f} s, {sum(found.values())} lines of reports", file=file)
            places += found
            watched |= launched
            known |= all_kernels
        print(f"\n{len(watched)} of {len(known)} kernels were watched", file=file)
        for kernel in sorted(known - watched):
            print("not watched:", kernel, file=file)
        print(file=file)
        for place, count in places.most_common():
            print(count, place, file=file)
    return bool(known) and watched == known and all(ended for _, ended, *_ in results.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("results")
    parser.add_argument("--tools", type=lambda text: text.split(","), default=list(OPTIONS))
    parser.add_argument("--rounds", type=int, default=2, help="of random tests: FLOE_DEVICE_TEST_ROUNDS")
    parser.add_argument("--limit", type=int, default=600, help="seconds after which a test is killed")
    parser.add_argument("--per-gpu", type=int, default=8, help="tests at a time; fewer where the tool lacks memory")
    arguments = parser.parse_args()
    os.makedirs(arguments.results, exist_ok=True)
    gpus = len(subprocess.run(["nvidia-smi", "-L"], check=True, capture_output=True, text=True).stdout.splitlines())
    sanitizer, tests, good = Sanitizer(arguments, gpus), tests_of(arguments.program), True
    with concurrent.futures.ThreadPoolExecutor(gpus * arguments.per_gpu) as pool:
        for tool in arguments.tools:
            running = {test: pool.submit(sanitizer.run, tool, test) for test in tests}
            path = os.path.join(arguments.results, tool + ".txt")
            is_good = report(path, {test: result.result() for test, result in running.items()})
            print(f"{tool}: {'all tests ended, all kernels were watched' if is_good else 'see'} {path}")
            good &= is_good
    sys.exit(not good)


main()
