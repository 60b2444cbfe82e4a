"use strict";
/* What the parts of the page share: calls of the server, and the puzzle that is open. */

const $ = (id) => document.getElementById(id);
const isOffline = typeof COPY !== "undefined"; // see offline.js
const state = { about: null, shown: null, several: [], lanes: [], ran: null };

/** Of several askings in one place only the last one counts: it ends the others. */
const latest = new Map();

async function only(place, work) {
  latest.get(place)?.abort();
  const abort = new AbortController();
  latest.set(place, abort);
  const result = await work(abort.signal);
  if (abort.signal.aborted) throw new DOMException("", "AbortError");
  return result;
}

/** Call the server; its errors are one line. */
async function call(name, given, signal) {
  if (isOffline) {
    const looked = () => offline.answer(name, given);
    return { json: looked, events: looked, blob: looked };
  }
  const answer = await fetch(`api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(given),
    signal,
  });
  if (!answer.ok) {
    const content = await answer.json().catch(() => ({}));
    throw new Error(content.error || `the server answers ${answer.status}`);
  }
  return answer;
}
const ask = async (name, given, signal) => (await call(name, given, signal)).json();

/** Say what a step brought, or why it failed. */
async function report(place, work, busy = "") {
  place.classList.remove("error");
  place.textContent = busy;
  try {
    const text = await work();
    if (text !== undefined) place.textContent = text;
    else if (place.textContent === busy) place.textContent = "";
  } catch (error) {
    if (error.name === "AbortError") return;
    place.classList.add("error");
    place.textContent = error.message === "Failed to fetch" ? "the server does not answer" : error.message;
  }
}

function fill(select, values, label = (value) => value) {
  select.replaceChildren(...values.map((value) => make("option", { value }, label(value))));
}

/* --- the puzzle ------------------------------------------------------------------------- */

const nameOf = (shown) => shown.title || (shown.id?.startsWith(shown.name) ? "" : shown.id);
const title = (shown) => [shown.name, nameOf(shown), shown.extent].filter(Boolean).join(" · ");

function take(content) {
  state.several = content.puzzles;
  $("several").hidden = $("save-sheet").hidden = content.puzzles.length < 2;
  fill($("which"), content.puzzles.map((_, i) => i), (i) => title(content.puzzles[i]));
  show(content.puzzles[0]);
  fold(content.puzzles.length < 2);
  const more = (content.count || 0) - content.puzzles.length;
  return title(content.puzzles[0]) + (more > 0 ? ` (and ${more} more, which are not listed)` : "");
}

function show(shown) {
  state.shown = shown;
  state.ran = null;
  state.lanes.forEach((lane) => lane.open(shown));
  hand.open(shown);
  model.open(shown);
  const about = state.about.puzzles[shown.name];
  document.querySelectorAll(".rules").forEach((place) => (place.textContent = about.rules));
  fill($("format"), [...about.formats, ...state.about.pictures]);
  if (about.formats.includes("puzzlink")) $("format").value = "puzzlink";
  $("sheet").replaceChildren();
  new Board($("sheet"), shown.board, "");
  $("ran").hidden = true;
  $("no-run").hidden = false;
  $("address").hidden = true;
  $("took").textContent = "";
  $("qr-code").replaceChildren();
}

/** The address of this page has the puzzle, for a link, for opening the page again, and for going back. */
function address(isNew = true) {
  const hash = `#${encodeURIComponent(JSON.stringify(state.shown.puzzle))}`;
  if (hash === location.hash) return;
  if (isNew) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

/** Take what is found; the field keeps its text only if that is what was read. */
const opened = (find, busy = "", text = "") =>
  report($("said"), async () => {
    const line = take(await only("open", find));
    address();
    if ($("text").value !== text) $("text").value = "";
    return line;
  }, busy);
const open = (given, busy = "reading ...", name = "read") =>
  opened((signal) => ask(name, given, signal), busy, given.text);

/** Show where puzzles are chosen, or the board again. */
function fold(on) {
  if (on && $("source").contains(document.activeElement)) $("menu").focus(); // what is hidden has no focus
  $("source").hidden = on;
  $("menu").setAttribute("aria-expanded", String(!on));
  if (on && state.shown && $("said").classList.contains("error")) report($("said"), async () => title(state.shown));
  if (!on && !$("kinds").children.length) gallery();
}

/** A button with a small picture of a puzzle. */
function thumbnail(shown, name, onclick) {
  const button = make("button", { type: "button", onclick });
  const { svg } = new Board(button, shown.board, "");
  svg.setAttribute("aria-hidden", "true");
  button.append(make("span", {}, name));
  return button;
}

/** All kinds, by a picture of their first example. */
function gallery() {
  const { examples, puzzles } = state.about;
  $("kinds").replaceChildren(...Object.keys(puzzles).flatMap((name) => {
    const own = examples.filter((each) => each.name === name);
    return own.length ? [thumbnail(own[0], name, () => choose(name, own))] : [];
  }));
}

/** The examples of a kind, and a form for a new one. */
function choose(name, own) {
  state.kind = name;
  $("kind").textContent = name;
  const pick = (each) => opened(async () => ({ puzzles: [each] }));
  $("examples").replaceChildren(...own.map((each) =>
    thumbnail(each, [each.title || each.id, each.extent].filter(Boolean).join(" · "), () => pick(each))));
  $("new").hidden = !state.about.puzzles[name].generated;
  $("chosen").hidden = false;
  $("examples").firstElementChild.focus();
  $("chosen").scrollIntoView({ block: "nearest" });
}

async function openFile(file) {
  if (!file) return;
  if (file.size > 6e6) return report($("said"), async () => { throw new Error(`${file.name}: larger than 6 MB`); });
  if (file.type.startsWith("image/")) {
    const raw = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let i = 0; i < raw.length; i += 8192) text += String.fromCharCode(...raw.subarray(i, i + 8192));
    return open({ text: "", image: btoa(text) }, "looking at the picture ...");
  }
  return open({ text: await file.text() });
}

$("paste").addEventListener("submit", (event) => { event.preventDefault(); open({ text: $("text").value }); });
$("text").addEventListener("paste", () => setTimeout(() => open({ text: $("text").value })));
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); open({ text: $("text").value }); }
});
$("file").addEventListener("change", () => {
  openFile($("file").files[0]);
  $("file").value = ""; // so that the same file can be chosen again
});
$("which").addEventListener("change", () => {
  show(state.several[Number($("which").value)]);
  $("said").textContent = title(state.shown);
  address();
});
$("menu").addEventListener("click", () => fold(!$("source").hidden));
$("source").addEventListener("keydown", (event) => event.key === "Escape" && fold(true));
$("new").addEventListener("submit", (event) => {
  event.preventDefault();
  const given = { puzzle: state.kind, size: $("size").value.trim(), difficulty: $("difficulty").value };
  open(given, "making one with exactly one solution ...", "new");
});
/* What is pasted or dropped anywhere is opened. */
document.addEventListener("paste", (event) => {
  if (event.target.closest("input, textarea, select")) return;
  const [file] = event.clipboardData.files;
  const text = event.clipboardData.getData("text");
  if (file) openFile(file);
  else if (text) open({ text });
});
document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("drop"); });
document.addEventListener("dragleave", () => document.body.classList.remove("drop"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("drop");
  const text = event.dataTransfer.getData("text");
  if (event.dataTransfer.files.length) openFile(event.dataTransfer.files[0]);
  else if (text) open({ text });
});
