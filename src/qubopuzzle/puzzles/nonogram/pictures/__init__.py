"""Pictures of black and white cells that their runs tell: line solving, repairs, images."""
