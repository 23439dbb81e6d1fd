# SPDX-License-Identifier: GPL-3.0-or-later
"""The standard library's reader of INI files."""
import schedsim


class ConfigParser:
    def __init__(self, *rest, **more):
        self.sections_read = {}

    def read(self, filenames, encoding=None):
        self.sections_read = schedsim.read_config(filenames)

    def get(self, section, option, fallback=None, **more):
        return self.sections_read[section][option]

    def getint(self, section, option, fallback=None, **more):
        return self.sections_read[section][option]

    def getfloat(self, section, option, fallback=None, **more):
        return self.sections_read[section][option]

    def getboolean(self, section, option, fallback=None, **more):
        return self.sections_read[section][option]

    def __getitem__(self, section):
        return self.sections_read[section]


class RawConfigParser(ConfigParser):
    pass


class SafeConfigParser(ConfigParser):
    pass
