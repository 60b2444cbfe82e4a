"""Models as files: those that are read, those that are written, and the answers to them.

Imported when first used: a process that only reads a file needs little of it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
