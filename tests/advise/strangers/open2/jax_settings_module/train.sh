#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts the loop with what settings.py says; AZ_DEVICE=gpu or cpu forces a device.
set -e
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
py="$here/.venv/bin/python"; [ -x "$py" ] || py="$(command -v python3)"
cd "$here"
exec "$py" -m az.settings "$@"
