#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image: the sandbox, a Python of its own for the grader, the grader.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
base="${AUTOGRADER_BASE:-/autograder}"
project="$base/source/project"

apt-get update
apt-get install -y --no-install-recommends bubblewrap python3 python3-venv
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    # Ubuntu 22.04 has 3.10 as its python3, and 3.11 beside it.
    apt-get install -y --no-install-recommends python3.11 python3.11-venv
    python=python3.11
fi

"$python" -m venv "$base/venv"
options=(--no-cache-dir)
if [ -f "$project/constraints.txt" ]; then
    options+=(-c "$project/constraints.txt")
fi
"$base/venv/bin/pip" install "${options[@]}" "$project"
