#!/bin/sh
# Judges mutated kernels with the test program of this bundle: ./mutants.sh [cuda:0] A mutant is killed if its test
# fails with the mutated image in place of the usual one. A test may take MUTANT_SECONDS (300).
set -u

here=$(cd "$(dirname "$0")" && pwd)
export GDF_TEST_DEVICE="${1:-cuda:0}"
log="$here/mutants/log.txt"
load="$here/mutants/load"
count=0
killed=0

# run PROGRAM TEST [NAME=VALUE...]: runs one test with the images in the folder GDF_KERNELS_DIR.
run() {
    program="$here/tests/$1"
    test=$2
    shift 2
    if [ -e "$program.xz" ]; then xz -d -f "$program.xz"; fi
    env "$@" timeout "${MUTANT_SECONDS:-300}" "$program" "$test" --exact >"$log" 2>&1
}

# baseline PROGRAM TEST [NAME=VALUE...]: checks that the test exists and passes without a mutant.
baseline() {
    GDF_KERNELS_DIR="$here/images"
    export GDF_KERNELS_DIR
    if ! run "$@" || ! grep -q "test result: ok. 1 passed" "$log"; then
        echo "fails without a mutant: $*"
        tail -n 40 "$log"
        exit 2
    fi
    echo "passes without a mutant: $*"
}

# mutant NAME CAPABILITY PROGRAM TEST [NAME=VALUE...]
mutant() {
    name=$1
    capability=$2
    shift 2
    rm -rf "$load"
    mkdir -p "$load"
    cp "$here"/images/* "$load/"
    cp "$here/mutants/$name.fatbin" "$load/$capability.fatbin"
    GDF_KERNELS_DIR="$load"
    export GDF_KERNELS_DIR
    count=$((count + 1))
    run "$@"
    status=$?
    if [ "$status" -eq 0 ]; then
        echo "$name: SURVIVED"
    else
        killed=$((killed + 1))
        if [ "$status" -eq 124 ]; then how=" (ran out of time)"; else how=; fi
        echo "$name: killed$how"
        grep -m 1 -A 2 "panicked at" "$log" | sed 's/^/    /' | cut -c 1-160
    fi
}

conclude() {
    echo "$killed of $count killed"
    [ "$killed" -eq "$count" ]
    exit
}
