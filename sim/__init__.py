"""Pure simulators: from inputs to the whole trace. Standard library and NumPy, nothing else."""
