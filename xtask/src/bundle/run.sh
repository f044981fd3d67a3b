#!/bin/sh
# Runs the test programs of this bundle, the example `tpch` and the corpus on one device: ./run.sh [cuda:0] [filter]
# The benchmarks are not run. When this script has unpacked the programs, run a benchmark with one of these commands:
#   GDF_KERNELS_DIR=images bench/gdf-bench --device cuda:0 [--help]
#   GDF_KERNELS_DIR=images bench/time_upload 10000000 9 cuda:0   (times the reading and the decoding of Parquet)
#
# GDF_RUN_WITH: a program under which each test program runs, for example "compute-sanitizer --tool memcheck".
# GDF_RUN_DATA: the folder for the tables of the example (default: the folder `data` beside this script).
set -u

here=$(cd "$(dirname "$0")" && pwd)
device=${1:-cuda:0}
filter=${2:-}
export GDF_KERNELS_DIR="$here/images"
export GDF_TEST_DEVICE="$device"

# The programs are compressed in the bundle.
for packed in "$here"/tests/*.xz "$here"/examples/*.xz "$here"/bench/*.xz "$here"/conformance/*.xz; do
    if [ -e "$packed" ]; then xz -d -f "$packed"; fi
done

failed=
for program in "$here"/tests/*; do
    echo "== $(basename "$program") on $device"
    # shellcheck disable=SC2086
    ${GDF_RUN_WITH:-} "$program" $filter || failed="$failed $(basename "$program")"
done

if [ -z "$filter" ]; then
    echo "== tpch on $device"
    # The example writes its tables below the folder that CARGO_TARGET_DIR names.
    CARGO_TARGET_DIR="${GDF_RUN_DATA:-$here/data}" "$here/examples/tpch" --device "$device" --scale 0.01 || failed="$failed tpch"
    echo "== conformance on $device"
    "$here/conformance/gdf-conformance" --dir "$here/conformance/corpus" --ratchet "$here/conformance/corpus/ratchet.txt" \
        --device "$device" || failed="$failed conformance"
fi

if [ -n "$failed" ]; then
    echo "failed on $device:$failed"
    exit 1
fi
echo "all passed on $device"
