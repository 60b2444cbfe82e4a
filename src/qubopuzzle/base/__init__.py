"""What everything stands on: checks of arguments, processes, signals, time, files written whole."""
