# SPDX-License-Identifier: GPL-3.0-or-later
import argparse


def parse_args():
    parser = argparse.ArgumentParser(description="graph experiments")
    parser.add_argument("--cfg", dest="cfg_file", help="file of settings", required=True, type=str)
    parser.add_argument("--repeat", dest="repeat", help="runs", default=1, type=int)
    parser.add_argument("--mark_done", dest="mark_done", action="store_true")
    parser.add_argument("opts", help="settings to change: a name, a value, ...", default=None,
                        nargs=argparse.REMAINDER)
    return parser.parse_args()
