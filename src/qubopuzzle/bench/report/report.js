// A run of an instance gets a button that shows its command.
for (const section of document.querySelectorAll("details")) {
  const commands = [...section.querySelectorAll("code[data-configuration]")];
  const [head, ...rows] = section.querySelector("table").rows;
  head.append(Object.assign(document.createElement("th"), { textContent: "repeat" }));
  for (const row of rows) {
    const [name, seed] = [...row.cells].map((cell) => cell.textContent);
    const code = commands.find((each) => each.dataset.configuration === name);
    const button = Object.assign(document.createElement("button"), { textContent: "command" });
    button.addEventListener("click", () => {
      const shown = section.querySelector("output");
      shown.textContent = code.textContent.replace("--seed N", `--seed ${seed}`);
      shown.hidden = false;
      getSelection().selectAllChildren(shown);
      navigator.clipboard?.writeText(shown.textContent).catch(() => {});
    });
    row.insertCell().append(button);
  }
}
// Tables sort by the column that is clicked; a click on a run's button shows its command.
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.rows[0].cells];
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    head.setAttribute("role", "button");
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => {
        const text = row.cells[column].textContent.trim();
        if (text === "" || text === "-") return [2, 0, text];
        const number = text.match(/^(> )?(-?[\d,]*\.?\d+(?:e[+-]?\d+)?|∞)/);
        if (!number) return [1, 0, text];
        const size = number[2] === "∞" ? Infinity : Number(number[2].replaceAll(",", ""));
        return [0, number[1] ? size * 1.0000001 : size, text];
      };
      const rows = [...table.rows].slice(1).map((row) => [value(row), row]);
      rows.sort(([a], [b]) => (down ? -1 : 1) *
        (a[0] - b[0] || (a[1] === b[1] ? 0 : a[1] - b[1]) || a[2].localeCompare(b[2])));
      rows.forEach(([, row]) => row.parentNode.append(row));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(); }
    });
  });
}
