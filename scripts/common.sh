# SPDX-License-Identifier: Apache-2.0
# What the scripts share: the root of the checkout, the Python environment in it, and how to stop.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv
cd "$root"
export PATH=$venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1
# The environment is the checkout's own: nothing from outside it is imported.
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV

say() { printf '%s\n' "$*" >&2; }
stop() {
  say "error: $*"
  exit 1
}
