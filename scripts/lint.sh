#!/usr/bin/env bash
# Runs staticcheck over the given packages (default: all).
set -euo pipefail
cd "$(dirname "$0")/.."

version=v0.8.2
if [ $# = 0 ]; then set -- ./...; fi
exec go run "honnef.co/go/tools/cmd/staticcheck@$version" -checks inherit,-ST1000 "$@"
