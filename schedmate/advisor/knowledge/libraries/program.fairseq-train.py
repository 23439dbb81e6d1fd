# SPDX-License-Identifier: GPL-3.0-or-later
"""fairseq 0.12: `fairseq-train DATA --option value ...`."""
import fairseq_cli.train
