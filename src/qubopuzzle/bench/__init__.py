"""Experiments: runs in processes of their own, a journal to go on from, statistics."""
