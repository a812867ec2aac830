"use strict";
// The browser of sentences. All text enters the page as text nodes, never as HTML.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const PAGE = 20;
  const LONGEST = 400; // words; longer lines are shown without marks
  const systems = data.rows.map((row, index) => index).filter((i) => !data.rows[i].control);
  const flagged = data.rows.map((row) =>
    Object.fromEntries(Object.entries(row.gaming).map(([kind, lines]) => [kind, new Set(lines)])));
  const shown = new Set(systems);
  const searchable = data.sources.map((source, line) =>
    [source, ...data.references[line], ...data.rows.map((row) => row.outputs[line])].join("\n").toLowerCase());
  let order = [];
  let drawn = 0;

  function element(name, options = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(options)) made[key] = value;
    made.append(...children);
    return made;
  }

  // Control characters and line separators would vanish or break the line.
  const visible = (text) => text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (sign) => String.fromCharCode(0x2400 + sign.charCodeAt(0)))
    .replace(/[\u2028\u2029]/g, "↵");

  function fill(select, choices) {
    for (const [value, text] of choices) select.append(element("option", { value, textContent: text }));
  }

  const words = (text) => visible(text).match(/\S+/g) ?? [];

  // Longest common subsequence of words; returns [kind, word] with kind "=", "~", "+", "-".
  function difference(before, after) {
    const a = words(before), b = words(after);
    if (a.length > LONGEST || b.length > LONGEST) return b.map((word) => ["=", word]);
    const x = a.map((word) => word.toLowerCase()), y = b.map((word) => word.toLowerCase());
    const width = b.length + 1;
    const best = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--)
      for (let j = b.length - 1; j >= 0; j--)
        best[i * width + j] = x[i] === y[j]
          ? best[(i + 1) * width + j + 1] + 1
          : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    const parts = [];
    let i = 0, j = 0;
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && x[i] === y[j]) parts.push([a[i] === b[j] ? "=" : "~", b[j]]), i++, j++;
      else if (j === b.length || (i < a.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) parts.push(["-", a[i++]]);
      else parts.push(["+", b[j++]]);
    }
    return parts;
  }

  function highlighted(source, output) {
    const nodes = [];
    for (const [kind, text] of difference(source, output)) {
      if (kind === "-") { nodes.push(element("del", { textContent: `${text} ` })); continue; }
      nodes.push(kind === "=" ? text : element("ins", { textContent: text, className: kind === "~" ? "case" : "" }), " ");
    }
    return nodes.length ? nodes : [element("span", { className: "empty", textContent: "(empty)" })];
  }

  function card(line) {
    const source = data.sources[line];
    const metric = Number($("metric").value);
    const list = element("dl", { className: "outputs" });
    const target = data.targets[line] ? ` → ${data.targets[line]}` : "";
    data.references[line].forEach((text, number) => {
      const name = data.references[line].length > 1 ? `reference ${number + 1}` : "reference";
      list.append(element("dt", { textContent: name }), element("dd", { className: "reference", textContent: visible(text) }), element("span"));
    });
    const sign = data.metrics[metric].higher ? 1 : -1;
    const top = Math.max(...systems.map((i) => sign * data.rows[i].values[metric][line]));
    for (const i of [...shown].sort((a, b) => a - b)) {
      const row = data.rows[i];
      const name = element("dt", { title: row.name }, element("i", { className: "dot" }), row.name);
      name.firstChild.style.background = row.colour;
      const output = element("dd", {}, ...highlighted(source, row.outputs[line]));
      for (const [kind, lines] of Object.entries(flagged[i]))
        if (lines.has(line + 1)) output.append(element("span", { className: "chip", textContent: kind }));
      const value = row.values[metric][line];
      list.append(name, output, element("span", {
        className: "points" + (!row.control && sign * value === top ? " top" : ""),
        textContent: value.toFixed(1), title: `${data.metrics[metric].name} of ${row.name}` }));
    }
    return element("article", { className: "sentence", tabIndex: -1, id: `line-${line + 1}` },
      element("h3", {}, element("small", { textContent: `#${line + 1}${target}` }), visible(source) || "(empty)"), list);
  }

  function spread(line, metric) {
    const values = systems.map((i) => data.rows[i].values[metric][line]);
    const mean = values.reduce((a, b) => a + b, 0) / values.length;
    return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  }

  function keys(line) {
    const metric = Number($("metric").value), by = $("order").value;
    const value = (i) => data.rows[i].values[metric][line];
    if (by === "disagreement") return -spread(line, metric);
    if (by === "score") return -value(Number($("first").value));
    if (by === "gap") return -(value(Number($("first").value)) - value(Number($("second").value)));
    return line;
  }

  function passes(line) {
    const wanted = $("search").value.trim().toLowerCase(), kind = $("kind").value;
    if (kind && !flagged[Number($("of").value)][kind]?.has(line + 1)) return false;
    if (/^#\d+$/.test(wanted)) return line + 1 === Number(wanted.slice(1));
    return !wanted || searchable[line].includes(wanted);
  }

  function draw() {
    const next = order.slice(drawn, drawn + PAGE);
    $("list").append(...next.map(card));
    drawn += next.length;
    $("more").hidden = drawn >= order.length;
  }

  function refresh() {
    const by = $("order").value;
    $("first-label").hidden = by !== "score" && by !== "gap";
    $("second-label").hidden = by !== "gap";
    $("of-label").hidden = !$("kind").value;
    order = data.sources.map((_, line) => line).filter(passes);
    const key = new Map(order.map((line) => [line, keys(line)]));
    const sign = $("direction").getAttribute("aria-pressed") === "true" ? -1 : 1;
    order.sort((a, b) => sign * (key.get(a) - key.get(b)) || a - b);
    $("count").textContent = `${order.length.toLocaleString("en")} of ${data.sources.length.toLocaleString("en")} sentences`;
    $("list").replaceChildren();
    drawn = 0;
    draw();
  }

  function choices() {
    fill($("metric"), data.metrics.map((metric, i) => [i, metric.name]));
    $("metric").value = String(data.main);
    for (const id of ["first", "second", "of"]) fill($(id), data.rows.map((row, i) => [i, row.name]));
    $("first").value = $("of").value = String(systems[0]);
    $("second").value = String(systems[1] ?? 0);
    fill($("kind"), data.kinds.map((kind) => [kind, kind]));
    data.rows.forEach((row, i) => {
      const box = element("input", { type: "checkbox", checked: shown.has(i) });
      box.addEventListener("change", () => { box.checked ? shown.add(i) : shown.delete(i); refresh(); });
      $("shown").append(element("label", {}, box, row.name));
    });
    const removed = element("input", { type: "checkbox" });
    removed.addEventListener("change", () => $("list").classList.toggle("removed", removed.checked));
    $("shown").append(element("label", {}, removed, "removed words"));
  }

  function sortTable(button) {
    const column = Number(button.dataset.column);
    const up = button.dataset.order !== "best";
    document.querySelectorAll(".sort").forEach((other) => { delete other.dataset.order; other.closest("th").removeAttribute("aria-sort"); });
    button.dataset.order = up ? "best" : "worst";
    const descending = up === Boolean(button.dataset.higher);
    button.closest("th").setAttribute("aria-sort", descending ? "descending" : "ascending");
    for (const body of document.querySelectorAll(".scores tbody")) {
      const lines = [...body.rows].filter((row) => row.cells.length > column + 1);
      const value = (row) => Number(row.cells[column + 1].dataset.value);
      lines.sort((a, b) => (descending ? value(b) - value(a) : value(a) - value(b)));
      body.prepend(...lines);
    }
  }

  function look(button) {
    $("search").value = "";
    $("kind").value = button.dataset.kind;
    $("of").value = button.dataset.system;
    const index = Number(button.dataset.system);
    if (!shown.has(index)) $("shown").querySelectorAll("input")[index].click();
    refresh();
    $("sentences").scrollIntoView();
    $("kind").focus({ preventScroll: true });
  }

  function step(by) {
    const cards = [...$("list").children];
    const at = cards.indexOf(document.activeElement.closest?.(".sentence"));
    const next = cards[Math.max(0, at + by)];
    if (!next) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "center" });
  }

  choices();
  let timer = 0;
  $("search").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(refresh, 120); });
  for (const id of ["metric", "order", "first", "second", "kind", "of"]) $(id).addEventListener("change", refresh);
  $("direction").addEventListener("click", () => {
    $("direction").setAttribute("aria-pressed", String($("direction").getAttribute("aria-pressed") !== "true"));
    refresh();
  });
  $("reset").addEventListener("click", () => {
    $("search").value = $("kind").value = "";
    $("order").value = "line";
    $("direction").setAttribute("aria-pressed", "false");
    refresh();
  });
  $("more").addEventListener("click", draw);
  document.querySelectorAll(".sort").forEach((button) => button.addEventListener("click", () => sortTable(button)));
  document.querySelectorAll(".look").forEach((button) => button.addEventListener("click", () => look(button)));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.("input, select")) return;
    if (event.key === "/") { event.preventDefault(); $("search").focus(); }
    if (event.key === "j") step(1);
    if (event.key === "k") step(-1);
  });
  const watcher = new IntersectionObserver((entries) => {
    if (!entries[0].isIntersecting) return;
    draw();
    watcher.unobserve($("more")); // asked anew, for the button may still be in sight
    watcher.observe($("more"));
  }, { rootMargin: "600px" });
  watcher.observe($("more"));
  refresh();
})();
