"""One view per figure: parameters, a drawing and words about a simulator's trace."""
