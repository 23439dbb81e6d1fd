# SPDX-License-Identifier: GPL-3.0-or-later
import os

raw = os.environ.get("organseg_raw")
preprocessed = os.environ.get("organseg_preprocessed", "preprocessed")
results = os.environ.get("organseg_results")
