"""The commands, one file each; heavy imports happen inside their functions."""
