"""The builder of the book: load, check, render, bundle, write."""
