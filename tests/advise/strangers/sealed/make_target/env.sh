# SPDX-License-Identifier: GPL-3.0-or-later
export PYTHONPATH=$PWD/core
