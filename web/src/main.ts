import "./style/base.css";
import "./style/layout.css";
import "./style/text.css";
import "./style/work.css";
import { course } from "virtual:lesson";
import { Runner } from "./python/runner";
import { Memory } from "./storage";
import { App } from "./views/app";

const runner = new Runner();
const app = new App(course, runner, new Memory());
document.querySelector("#app")!.append(...app.elements);
app.show();

// Python comes down while the student reads; what is on the page already comes first.
if (document.readyState === "complete") runner.start();
else addEventListener("load", () => runner.start());

if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register(new URL("./sw.js", document.baseURI)).catch(() => undefined);
}
