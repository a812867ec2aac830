// The Align and Judge pages: each act is one event, sent in order until the server has it.
// What is unsent survives a reload; what the server answers is what is shown. Each unsent
// event is kept by a name of its own, so that two tabs do not write over each other's.
"use strict";
const work = document.getElementById("work");
const unsent = `unsent ${work.dataset.events} `;
const queue = []; // of what is kept, in order: { name, event }
const json = { "Content-Type": "application/json", Accept: "application/json" };
let state = JSON.parse(work.dataset.state);
let [place, sending] = [0, false];

function say(text, bad = false) {
  const line = document.getElementById("saved");
  line.textContent = text[0].toUpperCase() + text.slice(1);
  line.classList.toggle("unsaved", bad);
}
function send(kind, content = {}) {
  if ("readOnly" in work.dataset) return;
  const event = { key: crypto.getRandomValues(new Uint32Array(4)).join("-"), kind, content };
  const name = `${unsent}${String(++place).padStart(9, "0")} ${event.key}`;
  queue.push({ name, event });
  try {
    localStorage.setItem(name, JSON.stringify(event));
  } catch {} // there is no room; it is sent all the same
  flush();
}
function adopt() { // what this page left unsent before a reload, or another tab; none counts twice
  const names = "readOnly" in work.dataset ? [] : Object.keys(localStorage).filter((name) => name.startsWith(unsent)).sort();
  for (const name of names.filter((each) => !queue.some((known) => known.name === each))) {
    queue.push({ name, event: JSON.parse(localStorage.getItem(name)) });
    place = Math.max(place, parseInt(name.slice(unsent.length)));
  }
}
async function flush() {
  if (sending) return;
  for (sending = true; queue.length; ) await sendFirst(queue[0]);
  sending = false;
  page.paint();
}
async function sendFirst({ name, event }) {
  const request = { method: "POST", headers: json, body: JSON.stringify(event), signal: AbortSignal.timeout(10_000) };
  const slow = setTimeout(say, 400, "Saving…");
  const answer = await fetch(work.dataset.events, request).catch(() => ({ status: 503 }));
  clearTimeout(slow);
  if (answer.status === 401) return signIn();
  if (answer.status >= 500 || answer.status === 429) {
    say(`Not saved yet: the server does not respond. ${queue.length} to send; retrying…`, true);
    return new Promise((resolve) => setTimeout(resolve, 1500));
  }
  const body = await answer.json();
  queue.shift();
  localStorage.removeItem(name);
  if (answer.ok) state = body;
  else if (event.kind === "done") page.goToMissing();
  say(answer.ok ? (state.done ? "Done." : "All changes are saved.") : body.detail, !answer.ok);
  if (answer.ok && event.kind === "tokens") location.reload();
  if (answer.ok && event.kind === "done") location.assign(work.dataset.next);
}
function signIn() {
  const dialog = document.getElementById("sign-in");
  const form = dialog.querySelector("form");
  say("Not saved yet: sign in again.", true);
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch("/sign-in", { method: "POST", headers: { Accept: json.Accept }, body });
      if (!answer.ok) form.querySelector("[role=alert]").textContent = (await answer.json()).detail;
      else resolve(dialog.close());
    };
  });
}
async function refresh() {
  adopt();
  if (queue.length) return flush();
  const answer = await fetch(work.dataset.address, { headers: json });
  if (answer.ok && !queue.length) state = await answer.json();
  page.paint();
}
function makeAligner() {
  const [matrix, lines, tokens] = ["matrix", "lines", "tokens"].map((id) => document.getElementById(id));
  const find = (side, index) => lines.querySelector(`[data-side=${side}][data-index="${index}"]`);
  const sides = ["source", "target"];
  const same = (a, b) => a.join() === b.join();
  matrix.querySelectorAll("tbody tr").forEach((row, i) => row.querySelectorAll("td").forEach((td, j) => (td.id = `c${i}-${j}`)));
  let [at, from, side] = [[0, 0], [0, 0], 0]; // the cell in focus, where a block begins, the line in focus
  const span = (axis) => [Math.min(at[axis], from[axis]), Math.max(at[axis], from[axis])];
  const inside = (index, axis) => index >= span(axis)[0] && index <= span(axis)[1];
  const range = (axis) => Array.from(state[sides[axis]].keys()).filter((index) => inside(index, axis));
  const block = () => range(0).flatMap((i) => range(1).map((j) => [i, j]));
  const go = (to, extend = false) => {
    at = to.map((k, axis) => Math.max(0, Math.min(state[sides[axis]].length - 1, k)));
    if (!extend) from = at;
    paint();
    (lines.hidden ? document.getElementById(`c${at.join("-")}`) : find(sides[side], at[side])).focus();
  };
  const act = (kind, content) => {
    for (const cell of content.cells || []) document.getElementById(`c${cell.join("-")}`).dataset.unsaved = "";
    send(kind, content);
  };
  const move = (down, right) => ({ shiftKey }) => { // in the two lines only along the one in focus
    const step = lines.hidden ? [down, right] : side ? [0, right] : [right, 0];
    go(at.map((index, axis) => index + step[axis]), shiftKey);
  };
  const jump = (step) => {
    const stops = state.choices.map(([i, j]) => [i, j]);
    const now = stops.findIndex((cell) => same(cell, at));
    if (stops.length) go(stops[(now + step + stops.length + (now < 0 && step < 0)) % stops.length]);
  };
  const take = (whose) => {
    const next = state.open.find((cell) => !same(cell, at));
    if (state.choices.length) send("take", { cell: at, side: whose, reason: document.getElementById("reason").value });
    if (next) go(next);
  };
  function draw() {
    const svg = lines.querySelector("svg");
    const middle = (word, box = word.getBoundingClientRect()) => box.left + box.width / 2 - svg.getBoundingClientRect().left;
    svg.innerHTML = state.links.map(([i, j, label, origin]) =>
      `<line x1="${middle(find("source", i))}" x2="${middle(find("target", j))}" y2="120" data-label="${label}" data-origin="${origin}"/>`).join("");
  }
  function paint() {
    const byCell = (rows) => new Map(rows.map(([i, j, ...rest]) => [`${i},${j}`, rest]));
    const [marks, open, choices] = [state.links, state.open, state.choices].map(byCell);
    for (const td of matrix.querySelectorAll("tbody td")) {
      const cell = td.id.slice(1).split("-").map(Number);
      const [label, origin, probability] = marks.get(cell.join()) || ["", "", 1];
      const labels = open.has(cell.join()) ? choices.get(cell.join()).map((each) => each || "–") : [label];
      td.textContent = labels.map((each) => each.slice(0, 1).toUpperCase()).join("|");
      td.title = label && `${label}, ${origin}${probability < 1 ? ` ${probability.toFixed(2)}` : ""}`;
      Object.assign(td.dataset, { label, origin });
      td.toggleAttribute("data-open", open.has(cell.join()));
      td.toggleAttribute("data-unsaved", queue.length > 0 && "unsaved" in td.dataset);
      td.tabIndex = same(cell, at) ? 0 : -1;
      td.setAttribute("aria-selected", inside(cell[0], 0) && inside(cell[1], 1));
    }
    for (const word of work.querySelectorAll("[data-side]")) {
      const [axis, index] = [sides.indexOf(word.dataset.side), +word.dataset.index];
      word.toggleAttribute("data-null", state.nulls.some((each) => same(each, [sides[axis], index])));
      word.toggleAttribute("data-here", inside(index, axis));
      if (word.matches("button")) word.tabIndex = index === at[axis] ? 0 : -1;
    }
    const [label, origin] = marks.get(at.join()) || ["no link", ""];
    const both = open.has(at.join()) && choices.get(at.join()).map((each) => each || "no link");
    document.getElementById("here").textContent = `${state.source[at[0]]} – ${state.target[at[1]]}: ` +
      (both ? `first ${both[0]}, second ${both[1]}` : label + (origin && ` (${origin})`)) +
      (state.open.length ? `; ${state.open.length} to decide` : "");
    if (!lines.hidden) draw();
  }
  matrix.addEventListener("click", (event) => {
    const td = event.target.closest("tbody td");
    if (!td) return;
    const [to, label] = [td.id.slice(1).split("-").map(Number), { "": "sure", sure: "possible" }[td.dataset.label]];
    if (same(to, at) && !event.shiftKey) act(label ? "link" : "clear", { cells: [to], label });
    go(to, event.shiftKey);
  });
  lines.addEventListener("focusin", ({ target }) => { // by mouse, or by Tab from one line to the other
    const to = at.map((k, axis) => (sides[axis] === target.dataset.side ? +target.dataset.index : k));
    side = sides.indexOf(target.dataset.side);
    if (!same(to, at)) go(to);
  });
  tokens?.addEventListener("submit", (event) => {
    event.preventDefault();
    send("tokens", Object.fromEntries(new FormData(tokens)));
  });
  addEventListener("resize", paint);
  const keys = {
    ArrowLeft: move(0, -1), ArrowRight: move(0, 1), ArrowUp: move(-1, 0), ArrowDown: move(1, 0),
    s: () => act("link", { cells: block(), label: "sure" }), p: () => act("link", { cells: block(), label: "possible" }),
    x: () => act("clear", { cells: block() }), c: () => send("word", { side: "source", index: at[0] }),
    C: () => send("word", { side: "target", index: at[1] }), n: () => send("null", { side: "source", index: at[0] }),
    N: () => send("null", { side: "target", index: at[1] }), a: () => send("accept"),
    t: () => tokens?.toggleAttribute("hidden"), v: () => go(at, (matrix.hidden = !(lines.hidden = !lines.hidden))),
    j: () => jump(1), k: () => jump(-1), 1: () => take("first"), 2: () => take("second"),
  };
  return { paint, keys, begin: () => go(state.open[0] || at), goToMissing: () => state.open.length && go(state.open[0]) };
}
function makeJudge() {
  const sets = [...work.querySelectorAll("fieldset.question")];
  const sourceShown = state.shows_source;
  const find = ({ dataset }, name = dataset.criterion) =>
    state.answers.find(([output, other]) => output === +dataset.output && other === name)?.[2];
  const answer = ({ dataset }, value) => send("answer", { output: +dataset.output, criterion: dataset.criterion, value });
  function paint() {
    if (state.shows_source !== sourceShown && !queue.length) location.reload();
    for (const set of sets) {
      const [name, wanted] = (set.dataset.neededIf || "").split("=");
      set.hidden = name !== "" && String(find(set, name)) !== wanted;
      set.toggleAttribute("data-answered", find(set) !== undefined);
      for (const input of set.querySelectorAll("input")) {
        if (input.type === "radio") input.checked = String(find(set)) === input.value;
        else if (document.activeElement !== input || !input.value) input.value = find(set) ?? "";
      }
    }
  }
  work.addEventListener("change", ({ target: input }) => {
    const set = input.closest("fieldset.question");
    if (set) answer(set, input.type === "radio" ? +input.value : input.value.trim() || null);
  });
  const goToMissing = () => sets.find((set) => !set.hidden && find(set) === undefined)?.querySelector("input").focus();
  const choose = ({ key, target }) => target.closest("fieldset.question")?.querySelector(`[data-answer="${key}"]`)?.click();
  const keys = Object.fromEntries([..."0123456789"].map((key) => [key, choose]));
  return { paint, keys, begin: goToMissing, goToMissing };
}
const page = work.dataset.kind === "align" ? makeAligner() : makeJudge();
Object.assign(page.keys, {
  u: () => send("undo"), U: () => send("redo"), Enter: () => send("done"),
  g: () => document.getElementById("guideline")?.toggleAttribute("open"),
});
document.addEventListener("keydown", (event) => {
  const { target } = event;
  const typing = target.matches("input:not([type=radio]), textarea, select") || target.closest("dialog, header");
  const pressing = event.key === "Enter" && target.closest("a, summary, button:not([data-side])");
  if (typing && event.key === "Enter" && target.matches("#comment, .question input")) target.blur(); // Enter again: done
  if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey || !page.keys[event.key]) return;
  event.preventDefault();
  page.keys[event.key](event);
});
work.addEventListener("click", (event) => page.keys[event.target.dataset.key]?.(event));
document.getElementById("comment")?.addEventListener("change", ({ target }) => send("comment", { text: target.value }));
addEventListener("focus", refresh);
page.paint();
page.begin();
adopt();
flush();
