"""`python -m gpu_backend`: the command `gpubook-box` where it is not installed."""

from gpu_backend.cli import main

main()
