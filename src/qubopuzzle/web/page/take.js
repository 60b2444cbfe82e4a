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

/* Whether nobody else reaches this page. */
const isLocal = location.protocol === "file:" || ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** A link that others can open: of this page, or of a player where this page is not reached and there is one. */
async function linkOf(ofPage = !isLocal) {
  address(false);
  const { formats } = state.about.puzzles[state.shown.name];
  if (ofPage || !formats.includes("puzzlink")) return location.href;
  const { address: link } = await ask("written", { puzzle: state.shown.puzzle, to: "puzzlink" });
  return link || location.href;
}

$("share").addEventListener("click", () => state.shown && report($("took"), async () => {
  const link = await linkOf();
  await navigator.clipboard.writeText(link);
  return `copied: ${link}${link === location.href && isLocal ? " (which opens on this computer alone)" : ""}`;
}));
$("qr").addEventListener("click", () => state.shown && report($("took"), async () => {
  const link = await linkOf(false); // a phone reaches a player rather than this page
  const { rows } = await ask("qr_code", { text: link });
  const size = rows.length;
  const svg = draw($("qr-code"), "svg", { viewBox: `0 0 ${size} ${size}`, class: "qr", role: "img", "aria-label": `QR code of ${link}` });
  draw(svg, "rect", { width: size, height: size, fill: "#ffffff" });
  const dark = rows.flatMap((row, y) => [...row].map((on, x) => (on === "1" ? `M${x} ${y}h1v1h-1z` : "")));
  draw(svg, "path", { d: dark.join(""), fill: "#000000", "shape-rendering": "crispEdges" });
  $("qr-code").replaceChildren(svg);
  return link;
}));
$("save-sheet").addEventListener("click", () => report($("took"), async () => {
  const made = await ask("sheet", { puzzles: state.several.map((each) => each.puzzle) });
  return save(bytes(made.data), `sheet${made.suffix}`, "application/pdf");
}, "solving and writing ..."));
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
