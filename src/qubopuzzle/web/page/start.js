"use strict";
/* Tabs, and the beginning. */

const tabs = [...document.querySelectorAll("[role=tab]")];

function turn(tab) {
  for (const each of tabs) {
    each.setAttribute("aria-selected", String(each === tab));
    each.tabIndex = each === tab ? 0 : -1;
    $(each.getAttribute("aria-controls")).hidden = each !== tab;
  }
  if (tab.id === "tab-model") model.load();
}

tabs.forEach((tab, i) => {
  tab.addEventListener("click", () => { turn(tab); fold(true); });
  tab.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const other = tabs[(i + by + tabs.length) % tabs.length];
    turn(other);
    other.focus();
  });
});

/** Open the puzzle of the page's address. */
async function openAddress() {
  const text = decodeURIComponent(location.hash.slice(1));
  return take(await only("open", (signal) => ask("read", { text }, signal)));
}

/* The puzzle of the address, or an example. */
report($("said"), async () => {
  state.about = await ask("about", {});
  state.lanes.push(new Lane("annealer", false));
  const { examples } = state.about;
  const first = Math.max(0, examples.findIndex((each) => each.name === "nonogram"));
  const line = take({ puzzles: [examples[first]] });
  $("menu").disabled = false;
  if (location.hash.length < 2) {
    address(false);
    return line;
  }
  const opened = await openAddress();
  if (hand.marks.size > hand.fixed.size || hand.notes.size) turn($("tab-hand")); // where one was
  return opened;
}, "starting ...");
addEventListener("popstate", () => location.hash.length > 1 && report($("said"), openAddress));
