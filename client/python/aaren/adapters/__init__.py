"""Aaren behind the interfaces of other libraries: `river`, `statsforecast` and `sktime`, each a module of its own."""
