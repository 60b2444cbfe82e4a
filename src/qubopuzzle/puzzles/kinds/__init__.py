"""What several puzzles share: grids of cells, shading, paths."""
