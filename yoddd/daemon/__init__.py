"""Layer 7: the only packages that import Twisted."""

from yoddd.system import name_passed_sockets

name_passed_sockets()  # before the import of Twisted, which reads the names once
