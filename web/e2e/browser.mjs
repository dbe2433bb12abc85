// A headless Chromium that knows every request it made.
import { chromium } from "playwright-core";

export const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launch() {
  return chromium.launch({ executablePath: BROWSER, args: FLAGS });
}

/** A fresh profile; every request and every error on its pages is taken down. */
export async function visit(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const requests = [];
  const errors = [];
  context.on("request", (request) => requests.push(request.url()));
  context.on("weberror", (error) => errors.push(String(error.error())));
  context.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { context, requests, errors, page: await context.newPage() };
}

export async function ready(page) {
  await page.locator(".status[data-state=ready]").waitFor({ state: "attached", timeout: 60_000 });
}

/** Put a whole module into the editor, as pasting does. */
export async function paste(page, text) {
  await page.evaluate((content) => navigator.clipboard.writeText(content), text);
  const editor = page.locator(".editor .cm-content");
  await editor.focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("ControlOrMeta+V");
}

/** Check the step that is open and return what the page then says. */
export async function check(page) {
  await page.getByRole("button", { name: "Check", exact: true }).click();
  return verdict(page);
}

export async function verdict(page) {
  await page.locator(".summary strong").waitFor({ state: "attached", timeout: 60_000 });
  return {
    summary: await page.locator(".summary").innerText(),
    states: await page.locator(".checks > li").evaluateAll((rows) => rows.map((row) => row.dataset.state)),
    text: await page.locator(".checks").innerText(),
  };
}
