#!/bin/sh
# Judges the mutants of kernels of this bundle: ./mutants.sh [cuda:0]
#
# The machine needs CUDA 13's nvcc and git. A mutant is killed if its test fails with the mutated image in place of the
# usual one. A test may take MUTANT_SECONDS (300). MUTANT_JOBS (6) mutants are judged at a time. The verdicts are lines
# of mutants/verdicts.txt. A mutant that has a line there is not judged again.
set -u

here=$(cd "$(dirname "$0")" && pwd)
verdicts="$here/mutants/verdicts.txt"
# The command `kernels` takes the parent of this folder for the repository, which contains the folder `kernels`.
export CARGO_MANIFEST_DIR="$here/xtask.d"

# passes IMAGES LOG PROGRAM TEST [NAME=VALUE...]: whether the test passes with the images of a folder.
passes() {
    export GDF_KERNELS_DIR="$1"
    log=$2
    program="$here/tests/$3"
    test=$4
    shift 4
    env "$@" timeout "${MUTANT_SECONDS:-300}" "$program" "$test" --exact >"$log" 2>&1
    status=$?
    [ "$status" -eq 0 ] && grep -q "test result: ok. 1 passed" "$log"
}

# baseline PROGRAM TEST [NAME=VALUE...]: checks that the test exists and passes without a mutant.
baseline() {
    name="baseline $*"
    if grep -qxF "$name: passes" "$verdicts"; then return; fi
    log=$(mktemp "$here/mutants/baseline.XXXXXX")
    if passes "$here/images" "$log" "$@"; then
        echo "$name: passes" >>"$verdicts"
    else
        echo "$name: FAILS without a mutant" | tee -a "$verdicts"
        tail -n 20 "$log"
    fi
    rm -f "$log"
}

# mutant NAME CAPABILITY PROGRAM TEST [NAME=VALUE...]: compiles the mutated image and judges it.
mutant() {
    name=$1
    capability=$2
    shift 2
    if grep -q "^$name: " "$verdicts"; then return; fi
    tree="$here/mutants/$name"
    rm -rf "$tree"
    mkdir -p "$tree/load"
    cp -r "$here/kernels" "$tree/"
    log="$tree.log"
    how=
    if ! (cd "$tree" && GIT_CEILING_DIRECTORIES="$here/mutants" git apply --unidiff-zero --ignore-whitespace "$tree.patch") ||
        diff -rq "$here/kernels" "$tree/kernels" >/dev/null; then
        verdict="DOES NOT APPLY"
    elif ! "$here/xtask" kernels "$capability" --sources "$tree/kernels" --out "$tree/images" --jobs 3 >"$log" 2>&1; then
        verdict="DOES NOT BUILD"
    else
        ln "$here"/images/* "$tree/load/"
        ln -f "$tree/images/$capability.fatbin" "$tree/load/"
        if passes "$tree/load" "$log" "$@"; then
            verdict=SURVIVED
        else
            verdict=killed
            if [ "$status" -eq 124 ]; then how=" (ran out of time)"; fi
        fi
    fi
    echo "$name: $verdict$how" | tee -a "$verdicts"
    if [ "$verdict" = killed ]; then grep -m 1 -A 1 "panicked at" "$log" | sed 's/^/    /' | cut -c 1-160; fi
    rm -rf "$tree"
}

case "${1:-}" in
baseline | mutant)
    "$@"
    exit
    ;;
esac

export GDF_TEST_DEVICE="${1:-cuda:0}"
for program in "$here/xtask" "$here/tests/it"; do
    if [ -e "$program.xz" ]; then xz -d -f "$program.xz"; fi
done
touch "$verdicts"
sed -i '/: FAILS without a mutant$/d' "$verdicts" # these tests run again
# The units that no mutant changes are compiled once, to the cache.
capabilities=$(cut -d " " -f 2 "$here/mutants/mutants.txt" | sort -u)
# shellcheck disable=SC2086
"$here/xtask" kernels $capabilities --out "$here/mutants/usual" >"$here/mutants/usual.log" 2>&1 || {
    cat "$here/mutants/usual.log"
    exit 2
}
cd "$here" || exit 2
xargs -L 1 -P "${MUTANT_JOBS:-6}" "$here/mutants.sh" baseline <mutants/baselines.txt
if grep "FAILS without" "$verdicts"; then exit 2; fi
xargs -L 1 -P "${MUTANT_JOBS:-6}" "$here/mutants.sh" mutant <mutants/mutants.txt
count=$(wc -l <mutants/mutants.txt)
killed=$(grep -c ": killed" "$verdicts")
grep -v ": killed\|^baseline " "$verdicts"
echo "$killed of $count killed"
[ "$killed" -eq "$count" ]
