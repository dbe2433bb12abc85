// Drives the page as a student does. Run by `npm test`, or by pytest, which also looks at what is downloaded:
//
//   SITE_URL=http://127.0.0.1:PORT/ E2E_DIR=DIR npm test
//
// DIR/request.json holds the references and some wrong answers with the words of `grader check`.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";
import { check, launch, paste, ready, verdict, visit } from "./browser.mjs";

const { SITE_URL, E2E_DIR } = process.env;
assert.ok(
  SITE_URL && E2E_DIR,
  "SITE_URL names a built site that is being served, E2E_DIR the folder with request.json",
);
const { modules, exercises, wrong } = JSON.parse(readFileSync(path.join(E2E_DIR, "request.json"), "utf8"));
const downloads = path.join(E2E_DIR, "downloads");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const first = exercises[0];

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Run a test on a page of its own; whatever it does, nothing may leave the origin and no error may appear. */
function onPage(name, body, options = {}) {
  test(name, { timeout: 240_000 }, async () => {
    const visitor = await visit(browser, { permissions: ["clipboard-read", "clipboard-write"], ...options });
    try {
      await body(visitor.page, visitor);
      const origin = new URL(SITE_URL).origin;
      const outside = visitor.requests.filter((url) => !url.startsWith(origin) && !/^(blob|data):/.test(url));
      assert.deepEqual(outside, []);
      assert.deepEqual(visitor.errors, []);
    } finally {
      await visitor.context.close();
    }
  });
}

async function open(page, { topic, id }) {
  await page.goto(`${SITE_URL}#/${topic}/${id}`);
  await ready(page);
}

async function save(page, folder = downloads) {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ]);
  mkdirSync(folder, { recursive: true });
  const target = path.join(folder, download.suggestedFilename());
  await download.saveAs(target);
  return readFileSync(target, "utf8");
}

const announced = (page, sentence) =>
  page.getByRole("status").filter({ hasText: sentence }).waitFor({ state: "attached", timeout: 5000 });
const button = (page, name) => page.getByRole("button", { name, exact: true });

async function serious(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

onPage("the references earn full marks, and what is downloaded is what was pasted", async (page) => {
  for (const exercise of exercises) {
    await open(page, exercise);
    await paste(page, modules[exercise.topic]);
    const { summary, states } = await check(page);
    assert.equal(summary.split(" ")[0], `${exercise.points}/${exercise.points}`, exercise.id);
    assert.ok(states.every((state) => state === "passed"));
    await announced(page, `${exercise.points} of ${exercise.points} points. All checks passed.`);
    assert.equal(await save(page), modules[exercise.topic]);
  }
  const total = exercises.reduce((sum, { points }) => sum + points, 0);
  assert.equal(await page.locator(".total").innerText(), `${total} of ${total} points`);
});

onPage("wrong answers are told in the words of `grader check`", async (page) => {
  for (const answer of wrong) {
    await open(page, answer);
    await paste(page, answer.text);
    const shown = await check(page);
    assert.deepEqual(shown.states, answer.states, answer.name);
    for (const sentence of answer.sentences) assert.ok(shown.text.includes(sentence), `${answer.name}: ${sentence}`);
  }
});

onPage("Stop ends an endless loop at once and keeps the text; Python comes back", async (page) => {
  const text = `${modules[first.topic]}\n\ndef ${first.functions[0]}(*args):\n    while True:\n        pass\n`;
  await open(page, first);
  await paste(page, text);
  await button(page, "Check").click();
  await page.locator(".status[data-state=busy]").waitFor();
  await page.waitForTimeout(500);
  const began = Date.now();
  await button(page, "Stop").click();
  await page.getByText("Checking was stopped.").first().waitFor();
  assert.ok(Date.now() - began < 1000, `${Date.now() - began} ms`);
  assert.equal(await save(page, path.join(E2E_DIR, "stopped")), text);
  await ready(page);
  await paste(page, modules[first.topic]);
  assert.match((await check(page)).summary, /All checks passed/);
});

onPage("an endless loop that nobody stops gets the verdict of `grader check`", async (page) => {
  await open(page, { topic: "selective", id: "step7" });
  await paste(page, "def should_recompute(*args):\n    while True:\n        pass\n");
  const { states, text } = await check(page);
  assert.equal(states[0], "timeout");
  assert.match(text, /No answer within 10 seconds/);
});

onPage("text and points survive a reload and a crash", async (page, { context }) => {
  await open(page, first);
  await paste(page, modules[first.topic]);
  await check(page);
  await page.keyboard.press("ControlOrMeta+Home");
  await page.locator(".editor .cm-content").focus();
  await page.keyboard.type("# mine\n");
  await page.waitForTimeout(600);
  await page.reload();
  assert.match(await page.locator(".summary").innerText(), new RegExp(`${first.points}/${first.points}`));
  assert.match(await save(page, path.join(E2E_DIR, "reloaded")), /# mine/);
  // A crash gives the page no time to say goodbye.
  const other = await context.newPage();
  await page.close({ runBeforeUnload: false });
  await other.goto(`${SITE_URL}#/${first.topic}/${first.id}`);
  assert.match(await save(other, path.join(E2E_DIR, "crashed")), /# mine/);
});

onPage("Run shows what is printed, the value of the last line, and errors where they are", async (page) => {
  await open(page, first);
  await paste(page, `print("hello")\n`);
  await page.getByRole("tab", { name: "Try it" }).click();
  const scratch = page.locator(".scratch .cm-content");
  await scratch.focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText("20 + 22");
  await button(page, "Run").click();
  await page.getByText("Done.").waitFor();
  assert.equal(await page.locator(".output").first().innerText(), "hello\n42\n");
  await scratch.focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText("1 / 0");
  await button(page, "Run").click();
  await page.getByText("Ended with an error.").waitFor();
  const shown = await page.locator(".output").first().innerText();
  assert.match(shown, /line 1, in <module>\n {4}1 \/ 0/);
  assert.match(shown, /ZeroDivisionError/);
  assert.doesNotMatch(shown, /site_worker/);
});

onPage("Reset asks first, and puts back one step or all", async (page) => {
  await open(page, first);
  const mine = `def ${first.functions[0]}(*args):\n    return 1\n\n\ndef my_helper():\n    return 2\n`;
  await paste(page, mine);
  await button(page, "Reset").click();
  await button(page, "Keep my text").click();
  assert.equal(await save(page, path.join(E2E_DIR, "reset")), mine);
  await button(page, "Reset").click();
  await page.getByRole("button", { name: /^Only/ }).click();
  const text = await save(page, path.join(E2E_DIR, "reset"));
  assert.match(text, /my_helper/);
  assert.match(text, /NotImplementedError/);
  await button(page, "Reset").click();
  await page.getByRole("button", { name: /^All of/ }).click();
  assert.doesNotMatch(await save(page, path.join(E2E_DIR, "reset")), /my_helper/);
});

onPage("a module from the disk can be gone on with", async (page) => {
  await open(page, first);
  const file = path.join(E2E_DIR, "upload.py");
  writeFileSync(file, modules[first.topic]);
  await page.locator("input[type=file]").setInputFiles(file);
  assert.match((await check(page)).summary, /All checks passed/);
});

onPage("hints come one at a time and are remembered", async (page) => {
  await page.goto(`${SITE_URL}#/${first.topic}/${first.id}`);
  for (const count of [1, 2, 3, 3]) {
    await button(page, "Hint").click();
    assert.equal(await page.locator(".hints li").count(), count);
  }
  await page.reload();
  await page.getByRole("tab", { name: "Hints" }).click();
  assert.equal(await page.locator(".hints li").count(), 3);
});

onPage("a figure is drawn from the student's functions", async (page) => {
  await open(page, { topic: "recompute", id: "step3" });
  await page.getByRole("button", { name: "Draw this from your own functions" }).click();
  await page.locator(".figure").getByText("Write the functions of this step first").waitFor();
  await paste(page, modules["recompute"]);
  await button(page, "Draw again").click();
  await page.locator("svg.chart").waitFor();
  assert.equal(await page.locator("svg.chart .c-line").count(), 6);
});

onPage("without storage the page works and says so", async (page) => {
  await page.addInitScript(() =>
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    }),
  );
  await open(page, first);
  await page.getByText("This browser stores nothing").waitFor();
  await paste(page, modules[first.topic]);
  assert.match((await check(page)).summary, /All checks passed/);
});

onPage("the keyboard is enough, and results are announced", async (page) => {
  await open(page, first);
  await page.locator(".editor .cm-content").focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText(modules[first.topic]);
  await page.keyboard.press("ControlOrMeta+Enter");
  await verdict(page);
  await announced(page, `${first.points} of ${first.points} points`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Check");
});

for (const colorScheme of ["light", "dark"]) {
  for (const [width, height] of [
    [360, 740],
    [1440, 900],
  ]) {
    onPage(
      `nothing seriously hinders anybody: ${colorScheme}, ${width} px`,
      async (page) => {
        await page.goto(SITE_URL);
        assert.deepEqual(await serious(page), []);
        await page.goto(`${SITE_URL}#/${first.topic}`);
        assert.deepEqual(await serious(page), []);
        await open(page, first);
        assert.deepEqual(await serious(page), []);
        if (width < 960) await button(page, "Code").click();
        await paste(page, `${modules[first.topic]}\n\ndef ${first.functions[0]}(*args):\n    return None\n`);
        await check(page);
        assert.deepEqual(await serious(page), []);
        await button(page, "Reset").click();
        assert.deepEqual(await serious(page), []);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      },
      { colorScheme, viewport: { width, height } },
    );
  }
}

onPage("nothing jumps while Python comes up and checks arrive", async (page) => {
  await page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await open(page, first);
  await page.locator(".editor .cm-content").focus();
  await page.keyboard.press("ControlOrMeta+Enter");
  await verdict(page);
  assert.ok((await page.evaluate(() => window.shifted)) < 0.02);
});

onPage("a second visit needs no network", async (page, { context, errors }) => {
  await open(page, first);
  await page.reload();
  await ready(page);
  await page.waitForTimeout(500);
  await context.setOffline(true);
  await page.reload();
  await ready(page);
  await check(page);
  errors.length = 0;
});
