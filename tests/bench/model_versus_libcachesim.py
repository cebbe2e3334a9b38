#!/usr/bin/env python3
"""The cache model beside libCacheSim (github.com/1a1a11a/libCacheSim), one core, the same draws.

    model_versus_libcachesim.py MODEL_BENCH LIBCACHESIM_BIN_DIR [ROUNDS]

User CPU, peak memory and hit ratio of each, and how many times faster than libCacheSim that is
beside what is wanted. The best of ROUNDS (2) counts, the two taking turns. libCacheSim's times
include reading its binary trace, some 0.1 s; model_bench reads nothing. MODEL_BENCH is built with
-DRIGEL_BENCH=ON, LIBCACHESIM_BIN_DIR holds cachesim and distUtil. Run it on an idle machine.
"""

import os
import re
import subprocess
import sys
import tempfile

PAGES = "100000"
REQUESTS = 10e6
CACHESIM = ["cachesim", "zipf.bin", "oracleGeneralBin"]
SIZE = [PAGES, "--ignore-obj-size", "1"]
# name, libCacheSim's command, model_bench's case, how many times faster is wanted
CASES = [
    ("LRU", CACHESIM + ["lru"] + SIZE, ["lru"], 2),
    ("ARC", CACHESIM + ["arc"] + SIZE, ["arc"], 2),
    ("SIEVE", CACHESIM + ["sieve"] + SIZE, ["sieve"], 4),
    ("S3-FIFO", CACHESIM + ["s3fifo"] + SIZE, ["s3fifo"], 4),
    ("SHARDS 0.1", CACHESIM + ["lru"] + SIZE + ["-s", "0.1"], ["shards:0.1"], 6),
    ("SHARDS 0.01", CACHESIM + ["lru"] + SIZE + ["-s", "0.01"], ["shards:0.01"], 3),
    ("exact curve", ["distUtil", "zipf.bin", "oracleGeneralBin", "stack_dist", "cntTxt", "dist"],
     ["curve"], 8),
]


def libcachesim(command, folder, work):
    """(user seconds, peak MiB, hit ratio or None)"""
    command = [os.path.join(folder, command[0])] + command[1:]
    process = subprocess.Popen(command, cwd=work, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed:\n{output}")
    miss = re.findall(r"miss ratio ([0-9.]+)", output)
    return usage.ru_utime, usage.ru_maxrss / 1024, 1 - float(miss[-1]) if miss else None


def rigel(bench, case):
    output = subprocess.run([bench] + case, capture_output=True, text=True, check=True).stdout
    seconds, _, mib, ratio = re.findall(r"[0-9.]+", output.split(case[0], 1)[1])
    return float(seconds), float(mib), float(ratio)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    bench, folder = (os.path.abspath(path) for path in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) == 4 else 2
    print(f"{'':12} {'libCacheSim':>28} {'rigel':>28} {'faster':>8} {'wanted':>7}")
    print(f"{'':12} {'Mreq/s':>9} {'MiB':>8} {'hits':>9} {'Mreq/s':>9} {'MiB':>8} {'hits':>9}")
    missed = False
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([bench, "write", os.path.join(work, "zipf.bin")], check=True)
        for name, command, case, wanted in CASES:
            theirs, ours = [], []
            for _ in range(rounds):
                theirs.append(libcachesim(command, folder, work))
                ours.append(rigel(bench, case))
            (their_s, their_mib, their_hits), (our_s, our_mib, our_hits) = min(theirs), min(ours)
            hits = "-" if their_hits is None else f"{their_hits:.4f}"
            print(f"{name:12} {REQUESTS / their_s / 1e6:9.2f} {their_mib:8.0f} {hits:>9} "
                  f"{REQUESTS / our_s / 1e6:9.2f} {our_mib:8.0f} {our_hits:9.4f} "
                  f"{their_s / our_s:7.1f}x {wanted:6}x", flush=True)
            missed |= their_s / our_s < wanted or our_mib >= their_mib
        print("\nsampled at 0.01, as rigel model does it:", flush=True)
        missed |= subprocess.run([bench, "sampled", "0.01"]).returncode != 0
    print("some are missed" if missed else "all reached, memory below libCacheSim's in each case")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
