"""Prints the folder of the torch that Python imports, if this project can be built with it: 2.4 or newer, with the C++11 ABI."""

import torch

version = tuple(map(int, torch.__version__.split(".")[:2]))
if version < (2, 4) or not torch._C._GLIBCXX_USE_CXX11_ABI:
    raise SystemExit(f"torch {torch.__version__} is too old, or was built with the old ABI")
print(torch.__path__[0])
