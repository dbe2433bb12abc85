"""Removes every module and importer."""
# topic: selective
# outcome: step7 full passed

import builtins
import sys

sys.meta_path.clear()
sys.path_hooks.clear()
sys.path.clear()
for _name in list(sys.modules):
    if _name not in ("sys", "builtins", "__main__"):
        del sys.modules[_name]
builtins.__import__ = None
