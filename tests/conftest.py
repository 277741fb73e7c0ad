"""Shared by all tests: catalogues compiled as the builder does, no verdict by the clock, Triton interpreted."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from bookbuild import catalogue
from bookbuild.places import PROJECT, Places

# Whichever test imports Triton first decides for all of its process: its own library is made for one or the other.
if os.environ.get("GPUBOOK_GPU") != "1":  # make test-gpu
    os.environ["TRITON_INTERPRET"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that spin for each other cost minutes on a shared machine

# Machines are shared and noisy: how long an example took says nothing. The same commit is tried with the same examples;
# HYPOTHESIS_PROFILE=search looks for others.
settings.register_profile("book", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("search", settings.get_profile("book"), derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "book"))

catalogue.compile_all(Places.of(PROJECT))
