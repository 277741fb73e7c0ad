"""Shared by all tests: catalogues compiled as the builder does, and no verdict by the clock."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from bookbuild import catalogue
from bookbuild.places import PROJECT, Places

# Machines are shared and noisy: how long an example took says nothing.
settings.register_profile("book", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("book")

catalogue.compile_all(Places.of(PROJECT))
