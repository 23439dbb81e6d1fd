#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(dirname "${here}")"

config="${1:-${root}/config/coder_oft.yaml}"
shift || true

gpus="${NUM_GPUS:-1}"
port="${MASTER_PORT:-29500}"
cd "${root}"

if [[ "${gpus}" -gt 1 ]]; then
  torchrun --nproc_per_node "${gpus}" --master_port "${port}" \
    "${root}/scripts/tune.py" "${config}" "$@"
else
  python "${root}/scripts/tune.py" "${config}" "$@"
fi
