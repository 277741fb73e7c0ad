"""Shared by all tests: gettext catalogues are compiled once, as the builder does."""

from __future__ import annotations
