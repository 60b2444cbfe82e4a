"""From a problem to a judged answer: load, model, presolve, compile, solve, decode, judge."""
