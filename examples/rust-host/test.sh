#!/bin/sh
# Builds the host and plays all vectors: 250 lines at most, and every outcome as that of the JavaScript binding.
# `node_modules/.bin/node scripts/vector-digests.ts` writes what is compared.
set -eu
cd "$(dirname "$0")"
most=250
build=../../build
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$build/rust-host}"

lines=$(cat src/*.rs | wc -l)
if [ "$lines" -gt "$most" ]; then
  echo "the host has $lines lines, and $most are allowed"
  exit 1
fi
cargo fmt --check
cargo build --release --locked --quiet
host=$CARGO_TARGET_DIR/release/stint-rust-host
"$host" "$build/engine.wasm" replay "$build/vectors.recording.jsonl" "$build/vectors.readings.json"
"$host" "$build/engine.wasm" answers "$build/vectors.answers.jsonl"

# refuses FILE WHAT FROM TO COMMAND…: the host must notice a difference in the file.
changed=$(mktemp)
trap 'rm -f "$changed"' EXIT
refuses() {
  file=$1 what=$2 from=$3 to=$4
  shift 4
  sed "s/$from/$to/" "$file" >"$changed"
  if cmp -s "$file" "$changed"; then
    echo "$file has no $from"
    exit 1
  fi
  if "$host" "$build/engine.wasm" "$@" >/dev/null 2>&1; then
    echo "another $what was not noticed"
    exit 1
  fi
}
recording=$build/vectors.recording.jsonl
refuses "$recording" code '"code":0' '"code":8' replay "$changed"
refuses "$recording" wake-up '"wakeUp":null' '"wakeUp":1' replay "$changed"
refuses "$recording" request '\["PATCH"' '["PUT"' replay "$changed"
refuses "$recording" decision '"decisions":".' '"decisions":"-' replay "$changed"
refuses "$recording" end '"call":"end"' '"call":"clock"' replay "$changed"
refuses "$build/vectors.readings.json" metric '"jobs":1' '"jobs":2' replay "$recording" "$changed"
refuses "$build/vectors.readings.json" explanation '"found":true' '"found":false' replay "$recording" "$changed"
refuses "$build/vectors.answers.jsonl" answer '\\"isFinished\\":true' '\\"isFinished\\":false' answers "$changed"
refuses "$build/vectors.answers.jsonl" refusal '"refusal":"' '"refusal":"-' answers "$changed"
echo "12 passed, 0 failed"
