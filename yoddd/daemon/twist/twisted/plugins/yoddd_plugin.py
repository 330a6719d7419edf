"""The plugin that ``twist`` finds: it is installed as ``twisted/plugins/yoddd_plugin.py``."""

from twisted.application.service import ServiceMaker

yoddd = ServiceMaker(
    "yoddd",
    "yoddd.daemon.tap",
    "Server for Yodd, Xodd, Odd, Yoin and Product: yoddd serve",
    "yoddd",
)
