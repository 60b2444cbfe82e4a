"""Where a token might be seen: in texts, in exceptions, in processes."""

from pathlib import Path
from urllib.parse import quote


def leaked(text, token):
    """Whether the token stands in a text, as it is, percent-encoded or as in JSON."""
    return any(form in text for form in (token, quote(token, safe=""), token.replace("/", "\\/")))


def everything_of(error):
    """All that an exception and those behind it say."""
    seen = []
    while error is not None:
        seen += [str(error), repr(error), repr(error.args), repr(vars(error))]
        error = error.__cause__ or error.__context__
    return "\n".join(seen)


def descendants(pid):
    """Processes that a process has started, and those that they have (on Linux)."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    threads = Path(f"/proc/{pid}/task").glob("*/children") if children.exists() else []
    own = [int(word) for file in threads for word in file.read_text().split()]
    return own + [pid for child in own for pid in descendants(child)]
