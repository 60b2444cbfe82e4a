"""Models as files for other solvers, and the assignments that those find."""

from qubopuzzle.files.models.formats import FORMATS, ModelFormat, by_suffix, named
from qubopuzzle.files.models.samples import Sample, read_sample

__all__ = ["FORMATS", "ModelFormat", "Sample", "by_suffix", "named", "read_sample"]
