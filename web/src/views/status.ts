/** One line that says what Python is doing. It is always there, so nothing moves when it changes. */
import { h } from "../dom";
import type { Runner, Status } from "../python/runner";

const PHASES = {
  downloading: "Python is being downloaded",
  starting: "Python is starting",
  loading: "The checks are being loaded",
};

export class StatusLine {
  private readonly text = h("span", {});
  private readonly bar = h("progress", { max: 1, "aria-label": "Loading Python" });
  readonly element = h("p", { class: "status" }, this.text, this.bar);

  constructor(runner: Runner) {
    runner.onStatus((status) => this.show(status));
  }

  private show(status: Status): void {
    this.element.dataset["state"] = status.state;
    this.bar.hidden = status.state !== "booting";
    switch (status.state) {
      case "booting":
        this.text.textContent = status.again ? "Python is starting again" : PHASES[status.phase];
        if (status.phase === "downloading" && !status.again) this.bar.value = status.fraction;
        else this.bar.removeAttribute("value");
        break;
      case "ready":
        this.text.textContent = "Python is ready";
        break;
      case "busy":
        this.text.textContent = "Python is working";
        break;
      case "broken":
        this.text.textContent = `Python could not start: ${status.message} Reload the page to try again.`;
        break;
    }
  }
}
