PYTHON ?= python3
PORT ?=
PY := .venv/bin/python

.PHONY: serve test test-kernels test-gpu check site bench shots strings lint browser install install-dev install-kernels

serve: install ; .venv/bin/gpubook serve --watch $(if $(PORT),--port $(PORT))
site: install ; .venv/bin/gpubook build
check: install-dev lint ; .venv/bin/gpubook check
test: install-kernels browser check site ; $(PY) -m pytest -n 2 --dist worksteal -m "not gpu"
# The GPU box alone: without a GPU (kernels in Triton's interpreter), and the real thing, on a CUDA machine.
test-kernels: install-kernels ; $(PY) -m pytest -m "not gpu" tests/gpu_backend
test-gpu: ; @$(PYTHON) install.py dev gpu
	GPUBOOK_GPU=1 $(PY) -m pytest tests/gpu_backend
bench: install-dev browser site ; $(PY) tests/bench/run.py --readme
shots: install-dev browser site ; $(PY) tests/browser/shots.py
strings: install-dev ; .venv/bin/gpubook strings

install: ; @$(PYTHON) install.py
install-dev: ; @$(PYTHON) install.py dev
install-kernels: ; @$(PYTHON) install.py dev kernels
browser: install-dev ; @$(PY) tests/browser/chromium.py
lint: install-dev ; .venv/bin/ruff check . && .venv/bin/ruff format --check -q . && .venv/bin/mypy && .venv/bin/lint-imports
