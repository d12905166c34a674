"""A plugin of pytest. adbutils' tests name port 5037; they get this run's adb server in its place."""

import os

import adbutils

_begin = adbutils.AdbClient.__init__


def _at_this_server(self, host="127.0.0.1", port=5037, *rest, **options):
    _begin(self, host, int(os.environ["ANDROID_ADB_SERVER_PORT"]), *rest, **options)


adbutils.AdbClient.__init__ = _at_this_server
