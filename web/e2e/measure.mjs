// Measures how long a student waits, and how much comes over the network.
//
//   SITE_URL=http://127.0.0.1:PORT/ node e2e/measure.mjs MODULE.py [ROUNDS]
//
// MODULE.py is a filled-in recompute.py.
import { readFileSync } from "node:fs";
import { launch, paste, ready, verdict, visit } from "./browser.mjs";

const { SITE_URL } = process.env;
const module = readFileSync(process.argv[2], "utf8");
const rounds = Number(process.argv[3] ?? 3);

async function timed(act) {
  const began = performance.now();
  await act();
  return ((performance.now() - began) / 1000).toFixed(2);
}

async function toVerdict(page, go) {
  return timed(async () => {
    await go();
    await page.locator(".editor .cm-content").focus();
    await page.keyboard.press("ControlOrMeta+Enter");
    await verdict(page);
  });
}

for (let round = 0; round < rounds; round++) {
  const browser = await launch();
  const { page, context } = await visit(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  let bytes = 0;
  // Requests of the worker and the service worker belong to targets of their own.
  const session = await browser.newBrowserCDPSession();
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
  context.on("requestfinished", async (request) => {
    const sizes = await request.sizes().catch(() => undefined);
    const response = await request.response().catch(() => undefined);
    if (sizes && response && !response.fromServiceWorker()) bytes += sizes.responseBodySize + sizes.responseHeadersSize;
  });
  const cold = await toVerdict(page, () => page.goto(`${SITE_URL}#/recompute/step1`));
  await page.waitForTimeout(500);
  const transferred = (bytes / 1e6).toFixed(2);
  const warm = await toVerdict(page, () => page.reload());
  const warmAgain = await toVerdict(page, () => page.reload());
  await ready(page);
  await paste(page, module);
  const again = {};
  for (const step of ["step1", "step2", "step3"]) {
    await page.goto(`${SITE_URL}#/recompute/${step}`);
    await toVerdict(page, async () => undefined);
    again[step] = await toVerdict(page, async () => undefined);
  }
  console.log({ cold, transferred, warm, warmAgain, again });
  await browser.close();
}
