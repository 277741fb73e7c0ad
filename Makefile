PYTHON ?= python3
PORT ?= 8000
PY := .venv/bin/python

.PHONY: serve test check site bench shots strings install install-dev

serve: install ; $(PY) -m bookbuild serve --watch --port $(PORT)
site: install ; $(PY) -m bookbuild build
check: install-dev lint ; $(PY) -m bookbuild check
test: install-dev browser check site ; $(PY) -m pytest -n 2 --dist loadgroup
bench: install-dev browser site ; $(PY) -m tests.bench
strings: install-dev ; $(PY) -m bookbuild strings

install: ; @$(PYTHON) install.py
install-dev: ; @$(PYTHON) install.py dev
