"use strict";
/* What can be taken away: the puzzle, its model, the last run. */

function save(data, name, type = "application/octet-stream") {
  const link = make("a", { href: URL.createObjectURL(new Blob([data], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return `saved as ${name}`;
}

const fileName = () => (state.shown.id || state.shown.name).replace(/[^\w.-]+/g, "-").slice(0, 60) || "puzzle";

function keep(format, more = {}) {
  if (!state.shown) return undefined;
  $("address").hidden = true;
  return report($("took"), async () => {
    const made = await ask("written", { puzzle: state.shown.puzzle, to: format, ...more });
    $("address").hidden = !made.address;
    if (made.address) {
      [$("address").href, $("address").textContent] = [made.address, made.address];
      return "the address is above";
    }
    return save(bytes(made.data), fileName() + made.suffix);
  }, "writing ...");
}

$("share").addEventListener("click", () => state.shown && report($("took"), async () => {
  address();
  await navigator.clipboard.writeText(location.href);
  return "copied: whoever opens the link has this puzzle";
}));
$("print").addEventListener("click", () => window.print());
$("save-puzzle").addEventListener("click", () => keep($("format").value));
$("save-model").addEventListener("click", () => keep($("model-format").value));
$("copy").addEventListener("click", () => report($("took"), async () => {
  await navigator.clipboard.writeText($("snippet").textContent);
  return "copied";
}));
$("save-run").addEventListener("click", () => report($("took"), async () => {
  const { shown, frames, solver, seed } = state.ran;
  const run = { title: `${title(shown)}: ${solver}, seed ${seed}`, board: shown.board, frames };
  const answer = await call("replay", run);
  return save(await answer.blob(), `${fileName()}-${solver}-${seed}.html`, "text/html");
}, "writing ..."));
