// The Rewrite page: rows as they come, alternatives, single changes, locked words; and
// documents, which are rewritten as jobs. The page holds all there is of a text; `whole`
// is the text as it stands.
"use strict";

const find = (id) => document.getElementById(id);
const form = find("ask"), rows = find("rows"), keep = find("keep");
let running = null;

// Rows

async function* readLines(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

async function send(address, options) {
  const response = await fetch(address, options);
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({ detail: "the server sent an unexpected answer. Try again." }));
  throw Object.assign(new Error(problem.detail), { status: response.status });
}

async function ask(fields, take) {
  const response = await send("/rewrite/rows", { method: "POST", body: fields, signal: running.signal });
  for await (const line of readLines(response)) {
    if (line.error) throw new Error(line.error);
    if (line.commands) find("commands").innerHTML = line.commands;
    if (line.html) take(line);
  }
}

function complain(error) {
  const offline = error instanceof TypeError;
  const said = offline ? "the server cannot be reached. Your text is still here; try again." : error.message;
  const notice = document.createElement("div");
  notice.className = "notice error";
  const named = /^\S+\.\S/.test(said); // by a file's name, which has its own letters
  notice.textContent = named ? said : said.charAt(0).toUpperCase() + said.slice(1);
  find("problem").replaceChildren(notice);
}

async function run(fields, take) {
  running?.abort();
  const own = (running = new AbortController());
  find("problem").replaceChildren();
  find("stop").hidden = false;
  form.setAttribute("aria-busy", "true");
  try {
    await ask(fields, take);
  } catch (error) {
    if (error.name !== "AbortError") complain(error);
  }
  if (running !== own) return;
  running = null;
  find("stop").hidden = find("progress").hidden = true;
  form.removeAttribute("aria-busy");
  update();
}

async function rewrite() {
  const fields = new FormData(form), length = find("text").value.length;
  rows.replaceChildren();
  find("commands").replaceChildren();
  find("result").hidden = find("progress").hidden = find("keys").hidden = false;
  find("progress").value = 0;
  await run(fields, (line) => {
    rows.insertAdjacentHTML("beforeend", line.html);
    find("progress").value = line.end / length;
    find("summary").textContent = `${rows.querySelectorAll(".sentence").length} sentences so far`;
  });
}

async function rewriteAgain(row) {
  const fields = new FormData(form), fresh = document.createElement("ol");
  fields.delete("file");
  fields.set("text", [...rows.children].map(({ dataset }) => dataset.source ?? dataset.text).join(""));
  fields.set("sentence", row.dataset.source);
  fields.set("offset", row.dataset.start);
  await run(fields, (line) => fresh.insertAdjacentHTML("beforeend", line.html));
  if (!fresh.children.length) return;
  const first = fresh.querySelector(".sentence");
  row.replaceWith(...fresh.children);
  first?.focus();
  update();
}

// Documents

const endings = (kind) => find("file").dataset[kind].split(" ");
const hasEnding = (name, kind) => endings(kind).some((ending) => name.toLowerCase().endsWith(ending));
let following = 0; // counts documents, so that the loop of an earlier one ends
let ended = false;

async function choose(file) {
  const input = find("file"), name = file?.name ?? "";
  find("problem").replaceChildren();
  if (hasEnding(name, "texts")) {
    try {
      find("text").value = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      form.markdown.checked = name.toLowerCase().endsWith(".md");
    } catch {
      complain(Error(`${name} is not text in UTF-8. Save it as plain text, or paste what it says.`));
    }
  } else if (file && !hasEnding(name, "documents")) {
    complain(Error(`${name} is not a format that can be rewritten here. Choose one of ${endings("texts").concat(endings("documents")).join(" ")}.`));
  } else if (file?.size > input.dataset.most) {
    complain(Error(`${name} is too large for this server. The command \`paraphrast rewrite\` takes it.`));
  } else if (file) {
    const chosen = new DataTransfer();
    chosen.items.add(file);
    input.files = chosen.files;
    return showChoice();
  }
  input.value = "";
  showChoice();
}

function showChoice() {
  const name = find("file").files[0]?.name ?? "";
  find("text").classList.toggle("unused", name !== "");
  find("no-file").hidden = name === "";
  find("tracked").hidden = !name.toLowerCase().endsWith(".docx");
  find("go").textContent = name ? "Rewrite the document" : "Rewrite";
}

async function rewriteDocument() {
  running?.abort();
  await discard();
  find("problem").replaceChildren();
  find("result").hidden = find("keys").hidden = true;
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await send("/rewrite/documents", { method: "POST", body: new FormData(form) });
    find("document").innerHTML = await answer.text();
    sessionStorage.setItem("document", find("document").innerHTML); // for a reload
    find("job").scrollIntoView({ block: "nearest" });
    await follow();
  } catch (error) {
    complain(error);
  }
  form.removeAttribute("aria-busy");
}

async function follow() {
  ended = false;
  const own = ++following, address = `/v1/jobs/${find("job").dataset.job}`;
  for (let job; own === following; ) {
    try {
      job = await (await send(address)).json();
      if (own !== following) return;
      await tell(job, address);
      if (ended) return;
    } catch (error) {
      if (own !== following) return;
      if (error.status && error.status !== 429) {
        await discard();
        return complain(error.status === 404 ? Error("the document is no longer on the server. Rewrite it again.") : error);
      }
      find("job-state").textContent = "The server does not respond; retrying…";
    }
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
}

async function tell(job, address) {
  const share = job.total ? job.done / job.total : 0, seconds = job.seconds_remaining;
  const left = seconds === null ? "" : seconds < 90 ? `, about ${Math.ceil(seconds)} s left` : `, about ${Math.round(seconds / 60)} min left`;
  find("job-progress").value = job.state === "done" ? 1 : share;
  if (job.state === "running") find("job-state").textContent = `${Math.floor(100 * share)}% rewritten${left}.`;
  ended = !["queued", "running"].includes(job.state);
  if (job.state === "failed") throw Object.assign(new Error(job.why), { status: 400 });
  if (job.state !== "done") return;
  const link = find("fetch"), file = await (await send(`${address}/result`)).blob();
  link.href = URL.createObjectURL(file);
  link.download = find("job").dataset.result;
  find("job-left").replaceChildren(...job.left.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
  find("job-left").hidden = !job.left.length;
  find("job-state").textContent = job.left.length ? "Done; some of it was left unchanged:" : "Done.";
  find("discard").textContent = "Discard";
  link.hidden = false;
  link.focus({ preventScroll: true });
}

async function remove() { // from the server; the page keeps what it has fetched
  if (!sessionStorage.getItem("document")) return;
  sessionStorage.removeItem("document");
  for (const _ of ended ? ["delete"] : ["stop", "delete"])
    await fetch(`/v1/jobs/${find("job").dataset.job}`, { method: "DELETE" }).catch(() => null);
}

async function discard() {
  following++;
  await remove();
  find("document").replaceChildren();
}

// The text as it stands

const chosen = (row) => row.querySelector(`[data-number="${row.querySelector(":checked").value}"]`);
const isKept = (change) => change.ariaPressed === "true";

function read(row) {
  if (!row.matches(".sentence")) return row.dataset.text;
  return [...chosen(row).querySelector(".result").childNodes].map((node) =>
    node.dataset ? (isKept(node) ? node.dataset.after : node.dataset.before) : node.data).join("");
}

function update() {
  const sentences = [...rows.querySelectorAll(".sentence")];
  const changed = sentences.filter((row) => read(row) !== row.dataset.source).length;
  find("whole").textContent = [...rows.children].map(read).join("");
  find("summary").textContent = `${changed} of ${sentences.length} sentence${sentences.length === 1 ? "" : "s"} changed`;
}

function toggle(change) {
  const keepIt = !isKept(change);
  change.ariaPressed = keepIt;
  change.textContent = keepIt ? change.dataset.after : change.dataset.before;
  const deleted = change.closest(".option").querySelector(`del[data-change="${change.dataset.change}"]`);
  deleted?.classList.toggle("back", !keepIt);
  update();
}

function lock(row, words) {
  const term = words.trim(), terms = keep.value.split(",").map((t) => t.trim()).filter(Boolean);
  if (!term || !row.dataset.source.includes(term)) return;
  const others = terms.filter((other) => other !== term);
  keep.value = [...others, ...(others.length === terms.length ? [term] : [])].join(", ");
  rewriteAgain(row);
}

// Keys and mouse

function move(from, step) {
  const sentences = [...rows.querySelectorAll(".sentence")];
  const next = sentences[from ? sentences.indexOf(from) + step : 0];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function moveChange(row, step) {
  const changes = [...chosen(row).querySelectorAll(".result ins")];
  const at = changes.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : changes.length - 1) : at + step;
  changes[next]?.focus();
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || find("result").hidden) return;
  const at = event.target, change = at.closest("ins[role=button]"), row = at.closest(".sentence");
  if (at.matches("textarea, select, input:not([type=radio])") || at.closest(".top")) return;
  const number = row && /^[0-9]$/.test(event.key) && row.querySelector(`.numbers [value="${event.key}"]`);
  if (number) { number.checked = true; row.focus(); update(); }
  else if (event.key === "j") move(row, 1);
  else if (event.key === "k") move(row, -1);
  else if (change && [" ", "Enter"].includes(event.key)) toggle(change);
  else if (row && !at.matches("input") && event.key === "ArrowRight") moveChange(row, 1);
  else if (row && !at.matches("input") && event.key === "ArrowLeft") moveChange(row, -1);
  else if (row && event.key === "l") lock(row, change ? change.dataset.before : String(getSelection()));
  else if (row && event.key === "w") { const why = chosen(row).querySelector("details"); if (why) why.open = !why.open; }
  else return;
  event.preventDefault();
}

function download() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([find("whole").textContent], { type: "text/plain" }));
  link.download = `${find("style").value}.${form.markdown.checked ? "md" : "txt"}`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function drop(event) {
  const file = event.dataTransfer?.files[0];
  if (file) event.preventDefault(); else return;
  choose(file);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (find("file").files.length) rewriteDocument(); else rewrite();
});
find("file").addEventListener("change", ({ target }) => choose(target.files[0]));
find("no-file").addEventListener("click", () => { choose(); find("text").focus(); });
find("document").addEventListener("click", ({ target }) => {
  if (target.id === "fetch") remove();
  if (target.id === "discard") discard();
});
find("stop").addEventListener("click", () => running?.abort());
find("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(find("whole").textContent);
  find("summary").textContent = "Copied.";
});
find("download").addEventListener("click", download);
form.addEventListener("dragover", (event) => event.preventDefault());
form.addEventListener("drop", drop);
rows.addEventListener("change", update);
rows.addEventListener("click", (event) => {
  const change = event.target.closest("ins[role=button]");
  if (change) toggle(change);
});
rows.addEventListener("dblclick", (event) => {
  const row = event.target.closest(".sentence");
  if (row && event.target.closest(".source")) lock(row, String(getSelection()));
});
document.addEventListener("keydown", press);
if (rows.children.length) { find("keys").hidden = false; update(); }
showChoice();
if (sessionStorage.getItem("document")) {
  find("document").innerHTML = sessionStorage.getItem("document");
  follow();
}
